-- windows: tumbling
SELECT pane,
    "k",
    sum("count_64d3797e") AS "count_64d3797e",
    max("max_f0cde295") AS "max_f0cde295",
    sum("sum_ac231eea") AS "sum_ac231eea",
    sum(__rows) AS __rows
  FROM (SELECT *
    FROM panes)
  GROUP BY pane,
    "k"

-- windows: sliding
SELECT pane,
    "k",
    sum("count_64d3797e") AS "count_64d3797e",
    max("max_f0cde295") AS "max_f0cde295",
    sum("sum_ac231eea") AS "sum_ac231eea",
    sum(__rows) AS __rows
  FROM (SELECT *
    FROM panes)
  GROUP BY pane,
    "k"

-- windows: uneven
SELECT pane,
    "k",
    sum("count_64d3797e") AS "count_64d3797e",
    max("max_f0cde295") AS "max_f0cde295",
    sum("sum_ac231eea") AS "sum_ac231eea",
    sum(__rows) AS __rows
  FROM (SELECT *
    FROM panes)
  GROUP BY pane,
    "k"

-- windows: shifted
SELECT pane,
    "k",
    sum("count_64d3797e") AS "count_64d3797e",
    max("max_f0cde295") AS "max_f0cde295",
    sum("sum_ac231eea") AS "sum_ac231eea",
    sum(__rows) AS __rows
  FROM (SELECT *
    FROM panes)
  GROUP BY pane,
    "k"

-- windows: without keys
SELECT pane,
    sum("count_64d3797e") AS "count_64d3797e",
    sum("sum_ac231eea") AS "sum_ac231eea",
    sum(__rows) AS __rows
  FROM (SELECT *
    FROM panes)
  GROUP BY pane

-- windows: wall clock
SELECT pane,
    "k",
    sum("count_64d3797e") AS "count_64d3797e",
    sum(__rows) AS __rows
  FROM (SELECT *
    FROM panes)
  GROUP BY pane,
    "k"

-- windows: wall clock, level 2
SELECT pane,
    "hour",
    sw_long(sum("sum_67347bc1")) AS "sum_67347bc1",
    sum(__rows) AS __rows
  FROM (SELECT *
    FROM panes)
  GROUP BY pane,
    "hour"

-- windows: composite
SELECT pane,
    "next",
    "site",
    sum("count_3321cfd5") AS "count_3321cfd5",
    sum("count_64d3797e") AS "count_64d3797e",
    sum("count_7870ce64") AS "count_7870ce64",
    sum("count_9902c6ab") AS "count_9902c6ab",
    sum("dsum_b056ae31") AS "dsum_b056ae31",
    sum("m2_90963b07" + coalesce("count_7870ce64" * ("mean_1ff39b70" - "__mean_1ff39b70") * ("mean_1ff39b70" - "__mean_1ff39b70"), 0)) AS "m2_90963b07",
    max("max_f0cde295") AS "max_f0cde295",
    max("__mean_1ff39b70") AS "mean_1ff39b70",
    min("min_aec3472c") AS "min_aec3472c",
    sw_long(sum("sum_089eb323")) AS "sum_089eb323",
    sum("sum_5f926afe") AS "sum_5f926afe",
    sum("sum_66a0a928") AS "sum_66a0a928",
    sum("sum_ac231eea") AS "sum_ac231eea",
    CASE WHEN count("sum_af1155bb") = count_if("count_3321cfd5" > 0) THEN CAST(CAST(sw_sum_exact("sum_af1155bb") AS DECIMAL(38,0)) * CAST('0.01' AS DECIMAL(2,2)) AS DECIMAL(38,2)) END AS "sum_af1155bb",
    sum("sum_bea04e62") AS "sum_bea04e62",
    sum(__rows) AS __rows
  FROM (SELECT *,
      sum("count_7870ce64" * "mean_1ff39b70") OVER (PARTITION BY pane, "next", "site") / nullif(sum("count_7870ce64") OVER (PARTITION BY pane, "next", "site"), 0) AS "__mean_1ff39b70"
    FROM (SELECT *
      FROM panes))
  GROUP BY pane,
    "next",
    "site"

-- windows: sketches
SELECT pane,
    "site",
    sum("count_64d3797e") AS "count_64d3797e",
    sum("count_7870ce64") AS "count_7870ce64",
    hll_union_list(list("hll_cad3fe85")) AS "hll_cad3fe85",
    kll_merge_list(list("kll_333f6d2e")) AS "kll_333f6d2e",
    sum(__rows) AS __rows
  FROM (SELECT *
    FROM panes)
  GROUP BY pane,
    "site"

-- windows: odd names
SELECT pane,
    "the ""k""",
    "It's",
    sum("count_64d3797e") AS "count_64d3797e",
    sum("sum_2815433c") AS "sum_2815433c",
    sum(__rows) AS __rows
  FROM (SELECT *
    FROM panes)
  GROUP BY pane,
    "the ""k""",
    "It's"

-- windows: revised
SELECT pane,
    "k",
    sum("count_64d3797e") AS "count_64d3797e",
    max("max_f0cde295") AS "max_f0cde295",
    sum("sum_ac231eea") AS "sum_ac231eea",
    sum(__rows) AS __rows
  FROM (SELECT *
    FROM panes)
  GROUP BY pane,
    "k"

-- windows: two levels
SELECT pane,
    "k",
    sum("count_64d3797e") AS "count_64d3797e",
    max("max_f0cde295") AS "max_f0cde295",
    sum("sum_ac231eea") AS "sum_ac231eea",
    sum(__rows) AS __rows
  FROM (SELECT *
    FROM panes)
  GROUP BY pane,
    "k"

-- windows: two levels, level 2
SELECT pane,
    "odd",
    sw_long(sum("sum_67347bc1")) AS "sum_67347bc1",
    max("max_fcb17c2b") AS "max_fcb17c2b",
    sum("count_64d3797e") AS "count_64d3797e",
    sum(__rows) AS __rows
  FROM (SELECT *
    FROM panes)
  GROUP BY pane,
    "odd"

-- windows: two levels, filtered and revised
SELECT pane,
    "k",
    sum("count_64d3797e") AS "count_64d3797e",
    max("max_f0cde295") AS "max_f0cde295",
    sum("sum_ac231eea") AS "sum_ac231eea",
    sum(__rows) AS __rows
  FROM (SELECT *
    FROM panes)
  GROUP BY pane,
    "k"

-- windows: three levels, revised
SELECT pane,
    "k",
    sum("count_64d3797e") AS "count_64d3797e",
    max("max_f0cde295") AS "max_f0cde295",
    sum("sum_ac231eea") AS "sum_ac231eea",
    sum(__rows) AS __rows
  FROM (SELECT *
    FROM panes)
  GROUP BY pane,
    "k"

-- windows: error bound
SELECT pane,
    "k",
    sum("count_64d3797e") AS "count_64d3797e",
    sum("count_7870ce64") AS "count_7870ce64",
    sum("dsquare_489767e3") AS "dsquare_489767e3",
    sum("dsum_b056ae31") AS "dsum_b056ae31",
    max("max_f0cde295") AS "max_f0cde295",
    sum("sum_ac231eea") AS "sum_ac231eea",
    sum(__rows) AS __rows
  FROM (SELECT *
    FROM panes)
  GROUP BY pane,
    "k"

-- windows: estimates
SELECT pane,
    "k",
    sum("count_64d3797e") AS "count_64d3797e",
    max("max_f0cde295") AS "max_f0cde295",
    sum("sum_ac231eea") AS "sum_ac231eea",
    sum(__rows) AS __rows
  FROM (SELECT *
    FROM panes)
  GROUP BY pane,
    "k"

-- windows: estimates of two levels
SELECT pane,
    "k",
    sum("count_64d3797e") AS "count_64d3797e",
    max("max_f0cde295") AS "max_f0cde295",
    sum("sum_ac231eea") AS "sum_ac231eea",
    sum(__rows) AS __rows
  FROM (SELECT *
    FROM panes)
  GROUP BY pane,
    "k"

-- windows: estimates of two levels, level 2
SELECT pane,
    "odd",
    sw_long(sum("sum_67347bc1")) AS "sum_67347bc1",
    max("max_fcb17c2b") AS "max_fcb17c2b",
    sum("count_64d3797e") AS "count_64d3797e",
    sum(__rows) AS __rows
  FROM (SELECT *
    FROM panes)
  GROUP BY pane,
    "odd"

-- windows: estimates of two levels, revised
SELECT pane,
    "k",
    sum("count_64d3797e") AS "count_64d3797e",
    max("max_f0cde295") AS "max_f0cde295",
    sum("sum_ac231eea") AS "sum_ac231eea",
    sum(__rows) AS __rows
  FROM (SELECT *
    FROM panes)
  GROUP BY pane,
    "k"

-- windows: costly
SELECT pane,
    "k",
    sum("count_64d3797e") AS "count_64d3797e",
    sum("sum_ac231eea") AS "sum_ac231eea",
    sum(__rows) AS __rows
  FROM (SELECT *
    FROM panes)
  GROUP BY pane,
    "k"

-- windows: exact
SELECT pane,
    "k",
    "value_072bc288",
    "value_0f2a54b5",
    "value_879c0839",
    sum("count_64d3797e") AS "count_64d3797e",
    max("last_c0c2603b") AS "last_c0c2603b",
    sum(__rows) AS __rows
  FROM (SELECT *
    FROM panes)
  GROUP BY pane,
    "k",
    "value_072bc288",
    "value_0f2a54b5",
    "value_879c0839"

-- windows: related
SELECT pane,
    "k",
    "value_0f2a54b5",
    sum(__rows) AS __rows
  FROM (SELECT *
    FROM panes)
  GROUP BY pane,
    "k",
    "value_0f2a54b5"

-- join: aggregate above
SELECT pane,
    "k",
    sum("count_64d3797e") AS "count_64d3797e",
    sum("dsum_b056ae31") AS "dsum_b056ae31",
    sum("count_7870ce64") AS "count_7870ce64",
    sum(__rows) AS __rows
  FROM (SELECT *
    FROM panes)
  GROUP BY pane,
    "k"

-- join: aggregate above, estimated
SELECT pane,
    "k",
    sum("count_64d3797e") AS "count_64d3797e",
    sum("dsum_b056ae31") AS "dsum_b056ae31",
    sum("count_7870ce64") AS "count_7870ce64",
    sum(__rows) AS __rows
  FROM (SELECT *
    FROM panes)
  GROUP BY pane,
    "k"

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
    FROM (SELECT *
      FROM panes))
  GROUP BY pane,
    "site"
