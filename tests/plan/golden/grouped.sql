-- join: aggregate above, grouped, a
SELECT pane,
    "a_k",
    "a_i",
    "a_site",
    count(*) AS "count_64d3797e",
    count(*) AS __rows
  FROM rows
  GROUP BY 1,
    2,
    3,
    4

-- join: aggregate above, grouped, b
SELECT pane,
    "b_k",
    "b_i",
    sum("b_v") AS "dsum_ddd98ce4",
    count("b_v") AS "count_f6a7df80",
    count(*) AS __rows
  FROM rows
  GROUP BY 1,
    2,
    3

-- join: aggregate above, grouped, c
SELECT pane,
    "c_k",
    sw_long(sum("c_i")) AS "sum_cf4c10f4",
    count("c_v") AS "count_28c5b53d",
    avg("c_v") AS "mean_87a4ae70",
    (coalesce(var_pop("c_v"), CAST(0 AS DOUBLE)) * CAST(count("c_v") AS DOUBLE)) AS "m2_f2ea6aa0",
    max("c_v") AS "max_0c788a40",
    count(*) AS __rows
  FROM rows
  GROUP BY 1,
    2
