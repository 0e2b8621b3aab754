-- join: aggregate above, grouped
SELECT pane,
    "site",
    sum("count_64d3797e") AS "count_64d3797e",
    sum("sum_cf4c10f4") AS "sum_cf4c10f4",
    sum("dsum_ddd98ce4") AS "dsum_ddd98ce4",
    sum("count_f6a7df80") AS "count_f6a7df80",
    sum("count_28c5b53d") AS "count_28c5b53d",
    max("__mean_87a4ae70") AS "mean_87a4ae70",
    sum("m2_f2ea6aa0" + coalesce("count_28c5b53d" * ("mean_87a4ae70" - "__mean_87a4ae70") * ("mean_87a4ae70" - "__mean_87a4ae70"), 0)) AS "m2_f2ea6aa0",
    max("max_0c788a40") AS "max_0c788a40",
    sum(__rows) AS __rows
  FROM (SELECT *,
      sum("count_28c5b53d" * "mean_87a4ae70") OVER (PARTITION BY pane, "site") / nullif(sum("count_28c5b53d") OVER (PARTITION BY pane, "site"), 0) AS "__mean_87a4ae70"
    FROM (SELECT __ts - (((__ts - 0) % 5000000 + 5000000) % 5000000) AS pane,
        "a_site" AS "site",
        "count_64d3797e",
        "sum_cf4c10f4",
        "dsum_ddd98ce4",
        "count_f6a7df80",
        "count_28c5b53d",
        "mean_87a4ae70",
        "m2_f2ea6aa0",
        "max_0c788a40",
        __rows
      FROM input))
  GROUP BY pane,
    "site"
