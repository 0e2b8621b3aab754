-- windows: tumbling
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 10000000 AS __end,
      "k",
      ("count_64d3797e") AS "n",
      ("sum_ac231eea") AS "s",
      ("max_f0cde295") AS "top"
    FROM (SELECT __start,
        "k",
        sum("count_64d3797e") AS "count_64d3797e",
        max("max_f0cde295") AS "max_f0cde295",
        sum("sum_ac231eea") AS "sum_ac231eea"
      FROM (SELECT *
        FROM (SELECT *,
            pane AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT))
        WHERE __start + 10000000 > pane AND __start + 10000000 > $after::BIGINT AND __start + 10000000 <= $upto::BIGINT)
      GROUP BY __start,
        "k"))

-- windows: sliding, few windows
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 10000000 AS __end,
      "k",
      ("count_64d3797e") AS "n",
      ("sum_ac231eea") AS "s",
      ("max_f0cde295") AS "top"
    FROM (SELECT __start,
        "k",
        sum("count_64d3797e") AS "count_64d3797e",
        max("max_f0cde295") AS "max_f0cde295",
        sum("sum_ac231eea") AS "sum_ac231eea"
      FROM (SELECT *
        FROM (SELECT p.*,
            $first::BIGINT + o.i * 2000000 AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT) AS p
          CROSS JOIN range(0, 4) AS o(i))
        WHERE pane >= __start AND pane < __start + 10000000)
      GROUP BY __start,
        "k"))

-- windows: sliding
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 10000000 AS __end,
      "k",
      ("count_64d3797e") AS "n",
      ("sum_ac231eea") AS "s",
      ("max_f0cde295") AS "top"
    FROM (SELECT __start,
        "k",
        sum("count_64d3797e") AS "count_64d3797e",
        max("max_f0cde295") AS "max_f0cde295",
        sum("sum_ac231eea") AS "sum_ac231eea"
      FROM (SELECT *
        FROM (SELECT p.*,
            pane - (((pane - 0) % 2000000 + 2000000) % 2000000) - o.i * 2000000 AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT) AS p
          CROSS JOIN range(0, 5) AS o(i))
        WHERE __start + 10000000 > pane AND __start + 10000000 > $after::BIGINT AND __start + 10000000 <= $upto::BIGINT)
      GROUP BY __start,
        "k"))

-- windows: uneven, few windows
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 10000000 AS __end,
      "k",
      ("count_64d3797e") AS "n",
      ("sum_ac231eea") AS "s",
      ("max_f0cde295") AS "top"
    FROM (SELECT __start,
        "k",
        sum("count_64d3797e") AS "count_64d3797e",
        max("max_f0cde295") AS "max_f0cde295",
        sum("sum_ac231eea") AS "sum_ac231eea"
      FROM (SELECT *
        FROM (SELECT p.*,
            $first::BIGINT + o.i * 4000000 AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT) AS p
          CROSS JOIN range(0, 2) AS o(i))
        WHERE pane >= __start AND pane < __start + 10000000)
      GROUP BY __start,
        "k"))

-- windows: uneven
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 10000000 AS __end,
      "k",
      ("count_64d3797e") AS "n",
      ("sum_ac231eea") AS "s",
      ("max_f0cde295") AS "top"
    FROM (SELECT __start,
        "k",
        sum("count_64d3797e") AS "count_64d3797e",
        max("max_f0cde295") AS "max_f0cde295",
        sum("sum_ac231eea") AS "sum_ac231eea"
      FROM (SELECT *
        FROM (SELECT p.*,
            pane - (((pane - 0) % 4000000 + 4000000) % 4000000) - o.i * 4000000 AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT) AS p
          CROSS JOIN range(0, 3) AS o(i))
        WHERE __start + 10000000 > pane AND __start + 10000000 > $after::BIGINT AND __start + 10000000 <= $upto::BIGINT)
      GROUP BY __start,
        "k"))

-- windows: shifted, few windows
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 10000000 AS __end,
      "k",
      ("count_64d3797e") AS "n",
      ("sum_ac231eea") AS "s",
      ("max_f0cde295") AS "top"
    FROM (SELECT __start,
        "k",
        sum("count_64d3797e") AS "count_64d3797e",
        max("max_f0cde295") AS "max_f0cde295",
        sum("sum_ac231eea") AS "sum_ac231eea"
      FROM (SELECT *
        FROM (SELECT p.*,
            $first::BIGINT + o.i * 5000000 AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT) AS p
          CROSS JOIN range(0, 1) AS o(i))
        WHERE pane >= __start AND pane < __start + 10000000)
      GROUP BY __start,
        "k"))

-- windows: shifted
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 10000000 AS __end,
      "k",
      ("count_64d3797e") AS "n",
      ("sum_ac231eea") AS "s",
      ("max_f0cde295") AS "top"
    FROM (SELECT __start,
        "k",
        sum("count_64d3797e") AS "count_64d3797e",
        max("max_f0cde295") AS "max_f0cde295",
        sum("sum_ac231eea") AS "sum_ac231eea"
      FROM (SELECT *
        FROM (SELECT p.*,
            pane - (((pane - 3000000) % 5000000 + 5000000) % 5000000) - o.i * 5000000 AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT) AS p
          CROSS JOIN range(0, 2) AS o(i))
        WHERE __start + 10000000 > pane AND __start + 10000000 > $after::BIGINT AND __start + 10000000 <= $upto::BIGINT)
      GROUP BY __start,
        "k"))

-- windows: without keys
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 10000000 AS __end,
      ("count_64d3797e") AS "n",
      ("sum_ac231eea") AS "s"
    FROM (SELECT __start,
        sum("count_64d3797e") AS "count_64d3797e",
        sum("sum_ac231eea") AS "sum_ac231eea"
      FROM (SELECT *
        FROM (SELECT *,
            pane AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT))
        WHERE __start + 10000000 > pane AND __start + 10000000 > $after::BIGINT AND __start + 10000000 <= $upto::BIGINT)
      GROUP BY __start))

-- windows: wall clock
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 10000000 AS __end,
      "k",
      ("count_64d3797e") AS "n"
    FROM (SELECT __start,
        "k",
        sum("count_64d3797e") AS "count_64d3797e"
      FROM (SELECT *
        FROM (SELECT *,
            pane AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT))
        WHERE __start + 10000000 > pane AND __start + 10000000 > $after::BIGINT AND __start + 10000000 <= $upto::BIGINT)
      GROUP BY __start,
        "k"))

-- windows: wall clock, level 2
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 60000000 AS __end,
      "hour",
      ("sum_67347bc1") AS "n"
    FROM (SELECT __start,
        "hour",
        sw_long(sum("sum_67347bc1")) AS "sum_67347bc1"
      FROM (SELECT *
        FROM (SELECT *,
            pane AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 60000000 AND pane < $upto::BIGINT))
        WHERE __start + 60000000 > pane AND __start + 60000000 > $after::BIGINT AND __start + 60000000 <= $upto::BIGINT)
      GROUP BY __start,
        "hour"))

-- windows: composite
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 10000000 AS __end,
      "next",
      "site",
      (CASE WHEN ("count_7870ce64" > CAST(0 AS BIGINT)) THEN ("dsum_b056ae31" / nullif(CAST("count_7870ce64" AS DOUBLE), 0)) ELSE CAST(NULL AS DOUBLE) END) AS "mean",
      (("sum_ac231eea") / nullif(CAST(("count_64d3797e") AS DOUBLE), 0)) AS "rate",
      (CAST(("sum_5f926afe") AS DOUBLE) / nullif(CAST(("count_7870ce64") AS DOUBLE), 0)) AS "share",
      (("max_f0cde295") - ("min_aec3472c")) AS "spread",
      (CASE WHEN ("count_7870ce64" > CAST(1 AS BIGINT)) THEN sqrt(("m2_90963b07" / nullif(CAST((sw_long(CAST("count_7870ce64" AS HUGEINT) - CAST(CAST(1 AS BIGINT) AS HUGEINT))) AS DOUBLE), 0))) ELSE CAST(NULL AS DOUBLE) END) AS "sd",
      ("sum_66a0a928") AS "money",
      (CASE WHEN ("count_9902c6ab" > CAST(0 AS BIGINT)) THEN TRY_CAST(CAST(CAST(sw_half_up(sw_unscaled("sum_66a0a928") * 1000000000000000000, nullif(sw_unscaled(TRY_CAST("count_9902c6ab" AS DECIMAL(20,0))), 0)) AS DECIMAL(38,0)) * CAST('0.00000000000000000001' AS DECIMAL(20,20)) AS DECIMAL(38,20)) AS DECIMAL(14,6)) ELSE CAST(NULL AS DECIMAL(14,6)) END) AS "fair",
      ("sum_bea04e62") AS "whole",
      ("sum_089eb323") AS "round",
      ("sum_af1155bb") AS "long"
    FROM (SELECT __start,
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
        sum("sum_bea04e62") AS "sum_bea04e62"
      FROM (SELECT *,
          sum("count_7870ce64" * "mean_1ff39b70") OVER (PARTITION BY __start, "next", "site") / nullif(sum("count_7870ce64") OVER (PARTITION BY __start, "next", "site"), 0) AS "__mean_1ff39b70"
        FROM (SELECT *
          FROM (SELECT *,
              pane AS __start
            FROM (SELECT *
              FROM panes
              WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT))
          WHERE __start + 10000000 > pane AND __start + 10000000 > $after::BIGINT AND __start + 10000000 <= $upto::BIGINT))
      GROUP BY __start,
        "next",
        "site"))

-- windows: sketches, few windows
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 10000000 AS __end,
      "site",
      (hll_sketch_estimate("hll_cad3fe85")) AS "users",
      (CASE WHEN ("count_7870ce64" > CAST(0 AS BIGINT)) THEN kll_sketch_get_quantile_double("kll_333f6d2e", CAST(CAST('0.5' AS DECIMAL(1,1)) AS DOUBLE)) ELSE CAST(NULL AS DOUBLE) END) AS "middle",
      ("count_64d3797e") AS "n"
    FROM (SELECT __start,
        "site",
        sum("count_64d3797e") AS "count_64d3797e",
        sum("count_7870ce64") AS "count_7870ce64",
        hll_union_list(list("hll_cad3fe85")) AS "hll_cad3fe85",
        kll_merge_list(list("kll_333f6d2e")) AS "kll_333f6d2e"
      FROM (SELECT *
        FROM (SELECT p.*,
            $first::BIGINT + o.i * 5000000 AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT) AS p
          CROSS JOIN range(0, 1) AS o(i))
        WHERE pane >= __start AND pane < __start + 10000000)
      GROUP BY __start,
        "site"))

-- windows: sketches
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 10000000 AS __end,
      "site",
      (hll_sketch_estimate("hll_cad3fe85")) AS "users",
      (CASE WHEN ("count_7870ce64" > CAST(0 AS BIGINT)) THEN kll_sketch_get_quantile_double("kll_333f6d2e", CAST(CAST('0.5' AS DECIMAL(1,1)) AS DOUBLE)) ELSE CAST(NULL AS DOUBLE) END) AS "middle",
      ("count_64d3797e") AS "n"
    FROM (SELECT __start,
        "site",
        sum("count_64d3797e") AS "count_64d3797e",
        sum("count_7870ce64") AS "count_7870ce64",
        hll_union_list(list("hll_cad3fe85")) AS "hll_cad3fe85",
        kll_merge_list(list("kll_333f6d2e")) AS "kll_333f6d2e"
      FROM (SELECT *
        FROM (SELECT p.*,
            pane - (((pane - 0) % 5000000 + 5000000) % 5000000) - o.i * 5000000 AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT) AS p
          CROSS JOIN range(0, 2) AS o(i))
        WHERE __start + 10000000 > pane AND __start + 10000000 > $after::BIGINT AND __start + 10000000 <= $upto::BIGINT)
      GROUP BY __start,
        "site"))

-- windows: odd names, few windows
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 10000000 AS __end,
      "the ""k""",
      "It's",
      ("count_64d3797e") AS "How many",
      ("sum_2815433c") AS "S""um"
    FROM (SELECT __start,
        "the ""k""",
        "It's",
        sum("count_64d3797e") AS "count_64d3797e",
        sum("sum_2815433c") AS "sum_2815433c"
      FROM (SELECT *
        FROM (SELECT p.*,
            $first::BIGINT + o.i * 5000000 AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT) AS p
          CROSS JOIN range(0, 1) AS o(i))
        WHERE pane >= __start AND pane < __start + 10000000)
      GROUP BY __start,
        "the ""k""",
        "It's"))

-- windows: odd names
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 10000000 AS __end,
      "the ""k""",
      "It's",
      ("count_64d3797e") AS "How many",
      ("sum_2815433c") AS "S""um"
    FROM (SELECT __start,
        "the ""k""",
        "It's",
        sum("count_64d3797e") AS "count_64d3797e",
        sum("sum_2815433c") AS "sum_2815433c"
      FROM (SELECT *
        FROM (SELECT p.*,
            pane - (((pane - 0) % 5000000 + 5000000) % 5000000) - o.i * 5000000 AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT) AS p
          CROSS JOIN range(0, 2) AS o(i))
        WHERE __start + 10000000 > pane AND __start + 10000000 > $after::BIGINT AND __start + 10000000 <= $upto::BIGINT)
      GROUP BY __start,
        "the ""k""",
        "It's"))

-- windows: odd names, level 2
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 20000000 AS __end,
      "It's",
      ("sum_36d04e8b") AS "All.of it",
      __rows
    FROM (SELECT __start,
        "It's",
        sum("sum_36d04e8b") AS "sum_36d04e8b",
        sum(__rows) AS __rows
      FROM (SELECT *
        FROM (SELECT *,
            pane AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 20000000 AND pane < $upto::BIGINT))
        WHERE __start + 20000000 > pane AND __start + 20000000 > $after::BIGINT AND __start + 20000000 <= $upto::BIGINT)
      GROUP BY __start,
        "It's"))

-- windows: revised, few windows
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 10000000 AS __end,
      "k",
      ("count_64d3797e") AS "n",
      ("sum_ac231eea") AS "s",
      ("max_f0cde295") AS "top"
    FROM (SELECT __start,
        "k",
        sum("count_64d3797e") AS "count_64d3797e",
        max("max_f0cde295") AS "max_f0cde295",
        sum("sum_ac231eea") AS "sum_ac231eea"
      FROM (SELECT *
        FROM (SELECT p.*,
            $first::BIGINT + o.i * 5000000 AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT) AS p
          CROSS JOIN range(0, 1) AS o(i))
        WHERE pane >= __start AND pane < __start + 10000000)
      GROUP BY __start,
        "k"))

-- windows: revised
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 10000000 AS __end,
      "k",
      ("count_64d3797e") AS "n",
      ("sum_ac231eea") AS "s",
      ("max_f0cde295") AS "top"
    FROM (SELECT __start,
        "k",
        sum("count_64d3797e") AS "count_64d3797e",
        max("max_f0cde295") AS "max_f0cde295",
        sum("sum_ac231eea") AS "sum_ac231eea"
      FROM (SELECT *
        FROM (SELECT p.*,
            pane - (((pane - 0) % 5000000 + 5000000) % 5000000) - o.i * 5000000 AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT) AS p
          CROSS JOIN range(0, 2) AS o(i))
        WHERE __start + 10000000 > pane AND __start + 10000000 > $after::BIGINT AND __start + 10000000 <= $upto::BIGINT)
      GROUP BY __start,
        "k"))

-- windows: two levels, few windows
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 10000000 AS __end,
      "k",
      ("count_64d3797e") AS "n",
      ("sum_ac231eea") AS "s",
      ("max_f0cde295") AS "top"
    FROM (SELECT __start,
        "k",
        sum("count_64d3797e") AS "count_64d3797e",
        max("max_f0cde295") AS "max_f0cde295",
        sum("sum_ac231eea") AS "sum_ac231eea"
      FROM (SELECT *
        FROM (SELECT p.*,
            $first::BIGINT + o.i * 5000000 AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT) AS p
          CROSS JOIN range(0, 1) AS o(i))
        WHERE pane >= __start AND pane < __start + 10000000)
      GROUP BY __start,
        "k"))

-- windows: two levels
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 10000000 AS __end,
      "k",
      ("count_64d3797e") AS "n",
      ("sum_ac231eea") AS "s",
      ("max_f0cde295") AS "top"
    FROM (SELECT __start,
        "k",
        sum("count_64d3797e") AS "count_64d3797e",
        max("max_f0cde295") AS "max_f0cde295",
        sum("sum_ac231eea") AS "sum_ac231eea"
      FROM (SELECT *
        FROM (SELECT p.*,
            pane - (((pane - 0) % 5000000 + 5000000) % 5000000) - o.i * 5000000 AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT) AS p
          CROSS JOIN range(0, 2) AS o(i))
        WHERE __start + 10000000 > pane AND __start + 10000000 > $after::BIGINT AND __start + 10000000 <= $upto::BIGINT)
      GROUP BY __start,
        "k"))

-- windows: two levels, level 2
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 60000000 AS __end,
      "odd",
      ("sum_67347bc1") AS "rows",
      ("max_fcb17c2b") AS "best",
      ("count_64d3797e") AS "groups"
    FROM (SELECT __start,
        "odd",
        sw_long(sum("sum_67347bc1")) AS "sum_67347bc1",
        max("max_fcb17c2b") AS "max_fcb17c2b",
        sum("count_64d3797e") AS "count_64d3797e"
      FROM (SELECT *
        FROM (SELECT *,
            pane AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 60000000 AND pane < $upto::BIGINT))
        WHERE __start + 60000000 > pane AND __start + 60000000 > $after::BIGINT AND __start + 60000000 <= $upto::BIGINT)
      GROUP BY __start,
        "odd"))

-- windows: two levels, filtered and revised, few windows
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 10000000 AS __end,
      "k",
      ("count_64d3797e") AS "n",
      ("sum_ac231eea") AS "s",
      ("max_f0cde295") AS "top"
    FROM (SELECT __start,
        "k",
        sum("count_64d3797e") AS "count_64d3797e",
        max("max_f0cde295") AS "max_f0cde295",
        sum("sum_ac231eea") AS "sum_ac231eea"
      FROM (SELECT *
        FROM (SELECT p.*,
            $first::BIGINT + o.i * 5000000 AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT) AS p
          CROSS JOIN range(0, 1) AS o(i))
        WHERE pane >= __start AND pane < __start + 10000000)
      GROUP BY __start,
        "k"))

-- windows: two levels, filtered and revised
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 10000000 AS __end,
      "k",
      ("count_64d3797e") AS "n",
      ("sum_ac231eea") AS "s",
      ("max_f0cde295") AS "top"
    FROM (SELECT __start,
        "k",
        sum("count_64d3797e") AS "count_64d3797e",
        max("max_f0cde295") AS "max_f0cde295",
        sum("sum_ac231eea") AS "sum_ac231eea"
      FROM (SELECT *
        FROM (SELECT p.*,
            pane - (((pane - 0) % 5000000 + 5000000) % 5000000) - o.i * 5000000 AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT) AS p
          CROSS JOIN range(0, 2) AS o(i))
        WHERE __start + 10000000 > pane AND __start + 10000000 > $after::BIGINT AND __start + 10000000 <= $upto::BIGINT)
      GROUP BY __start,
        "k"))

-- windows: two levels, filtered and revised, level 2
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 60000000 AS __end,
      "odd",
      ("sum_67347bc1") AS "rows",
      ("max_fcb17c2b") AS "best",
      ("count_64d3797e") AS "groups"
    FROM (SELECT __start,
        "odd",
        sw_long(sum("sum_67347bc1")) AS "sum_67347bc1",
        max("max_fcb17c2b") AS "max_fcb17c2b",
        sum("count_64d3797e") AS "count_64d3797e"
      FROM (SELECT *
        FROM (SELECT *,
            pane AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 60000000 AND pane < $upto::BIGINT))
        WHERE __start + 60000000 > pane AND __start + 60000000 > $after::BIGINT AND __start + 60000000 <= $upto::BIGINT)
      GROUP BY __start,
        "odd"))

-- windows: three levels, revised, few windows
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 10000000 AS __end,
      "k",
      ("count_64d3797e") AS "n",
      ("sum_ac231eea") AS "s",
      ("max_f0cde295") AS "top"
    FROM (SELECT __start,
        "k",
        sum("count_64d3797e") AS "count_64d3797e",
        max("max_f0cde295") AS "max_f0cde295",
        sum("sum_ac231eea") AS "sum_ac231eea"
      FROM (SELECT *
        FROM (SELECT p.*,
            $first::BIGINT + o.i * 5000000 AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT) AS p
          CROSS JOIN range(0, 1) AS o(i))
        WHERE pane >= __start AND pane < __start + 10000000)
      GROUP BY __start,
        "k"))

-- windows: three levels, revised
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 10000000 AS __end,
      "k",
      ("count_64d3797e") AS "n",
      ("sum_ac231eea") AS "s",
      ("max_f0cde295") AS "top"
    FROM (SELECT __start,
        "k",
        sum("count_64d3797e") AS "count_64d3797e",
        max("max_f0cde295") AS "max_f0cde295",
        sum("sum_ac231eea") AS "sum_ac231eea"
      FROM (SELECT *
        FROM (SELECT p.*,
            pane - (((pane - 0) % 5000000 + 5000000) % 5000000) - o.i * 5000000 AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT) AS p
          CROSS JOIN range(0, 2) AS o(i))
        WHERE __start + 10000000 > pane AND __start + 10000000 > $after::BIGINT AND __start + 10000000 <= $upto::BIGINT)
      GROUP BY __start,
        "k"))

-- windows: three levels, revised, level 2
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 60000000 AS __end,
      "odd",
      ("sum_67347bc1") AS "rows",
      ("max_fcb17c2b") AS "best",
      ("count_64d3797e") AS "groups"
    FROM (SELECT __start,
        "odd",
        sw_long(sum("sum_67347bc1")) AS "sum_67347bc1",
        max("max_fcb17c2b") AS "max_fcb17c2b",
        sum("count_64d3797e") AS "count_64d3797e"
      FROM (SELECT *
        FROM (SELECT *,
            pane AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 60000000 AND pane < $upto::BIGINT))
        WHERE __start + 60000000 > pane AND __start + 60000000 > $after::BIGINT AND __start + 60000000 <= $upto::BIGINT)
      GROUP BY __start,
        "odd"))

-- windows: three levels, revised, level 3
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 120000000 AS __end,
      ("max_1a4e169f") AS "most"
    FROM (SELECT __start,
        max("max_1a4e169f") AS "max_1a4e169f"
      FROM (SELECT *
        FROM (SELECT *,
            pane AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 120000000 AND pane < $upto::BIGINT))
        WHERE __start + 120000000 > pane AND __start + 120000000 > $after::BIGINT AND __start + 120000000 <= $upto::BIGINT)
      GROUP BY __start))

-- windows: error bound, few windows
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 10000000 AS __end,
      "k",
      ("count_64d3797e") AS "n",
      ("sum_ac231eea") AS "s",
      ("max_f0cde295") AS "top"
    FROM (SELECT __start,
        "k",
        sum("count_64d3797e") AS "count_64d3797e",
        sum("count_7870ce64") AS "count_7870ce64",
        sum("dsquare_489767e3") AS "dsquare_489767e3",
        sum("dsum_b056ae31") AS "dsum_b056ae31",
        max("max_f0cde295") AS "max_f0cde295",
        sum("sum_ac231eea") AS "sum_ac231eea"
      FROM (SELECT *
        FROM (SELECT p.*,
            $first::BIGINT + o.i * 5000000 AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT) AS p
          CROSS JOIN range(0, 1) AS o(i))
        WHERE pane >= __start AND pane < __start + 10000000)
      GROUP BY __start,
        "k"))

-- windows: error bound
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 10000000 AS __end,
      "k",
      ("count_64d3797e") AS "n",
      ("sum_ac231eea") AS "s",
      ("max_f0cde295") AS "top"
    FROM (SELECT __start,
        "k",
        sum("count_64d3797e") AS "count_64d3797e",
        sum("count_7870ce64") AS "count_7870ce64",
        sum("dsquare_489767e3") AS "dsquare_489767e3",
        sum("dsum_b056ae31") AS "dsum_b056ae31",
        max("max_f0cde295") AS "max_f0cde295",
        sum("sum_ac231eea") AS "sum_ac231eea"
      FROM (SELECT *
        FROM (SELECT p.*,
            pane - (((pane - 0) % 5000000 + 5000000) % 5000000) - o.i * 5000000 AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT) AS p
          CROSS JOIN range(0, 2) AS o(i))
        WHERE __start + 10000000 > pane AND __start + 10000000 > $after::BIGINT AND __start + 10000000 <= $upto::BIGINT)
      GROUP BY __start,
        "k"))

-- windows: estimates
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 10000000 AS __end,
      "k",
      ("count_64d3797e") AS "n",
      ("sum_ac231eea") AS "s",
      ("max_f0cde295") AS "top",
      __rows
    FROM (SELECT __start,
        "k",
        sum("count_64d3797e") AS "count_64d3797e",
        max("max_f0cde295") AS "max_f0cde295",
        sum("sum_ac231eea") AS "sum_ac231eea",
        sum(__rows) AS __rows
      FROM (SELECT *
        FROM (SELECT *,
            pane AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT))
        WHERE __start + 10000000 > pane AND __start + 10000000 > $after::BIGINT AND __start + 10000000 <= $upto::BIGINT)
      GROUP BY __start,
        "k"))

-- windows: estimates of two levels, few windows
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 10000000 AS __end,
      "k",
      ("count_64d3797e") AS "n",
      ("sum_ac231eea") AS "s",
      ("max_f0cde295") AS "top"
    FROM (SELECT __start,
        "k",
        sum("count_64d3797e") AS "count_64d3797e",
        max("max_f0cde295") AS "max_f0cde295",
        sum("sum_ac231eea") AS "sum_ac231eea"
      FROM (SELECT *
        FROM (SELECT p.*,
            $first::BIGINT + o.i * 5000000 AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT) AS p
          CROSS JOIN range(0, 1) AS o(i))
        WHERE pane >= __start AND pane < __start + 10000000)
      GROUP BY __start,
        "k"))

-- windows: estimates of two levels
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 10000000 AS __end,
      "k",
      ("count_64d3797e") AS "n",
      ("sum_ac231eea") AS "s",
      ("max_f0cde295") AS "top"
    FROM (SELECT __start,
        "k",
        sum("count_64d3797e") AS "count_64d3797e",
        max("max_f0cde295") AS "max_f0cde295",
        sum("sum_ac231eea") AS "sum_ac231eea"
      FROM (SELECT *
        FROM (SELECT p.*,
            pane - (((pane - 0) % 5000000 + 5000000) % 5000000) - o.i * 5000000 AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT) AS p
          CROSS JOIN range(0, 2) AS o(i))
        WHERE __start + 10000000 > pane AND __start + 10000000 > $after::BIGINT AND __start + 10000000 <= $upto::BIGINT)
      GROUP BY __start,
        "k"))

-- windows: estimates of two levels, level 2
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 60000000 AS __end,
      "odd",
      ("sum_67347bc1") AS "rows",
      ("max_fcb17c2b") AS "best",
      ("count_64d3797e") AS "groups",
      __rows
    FROM (SELECT __start,
        "odd",
        sw_long(sum("sum_67347bc1")) AS "sum_67347bc1",
        max("max_fcb17c2b") AS "max_fcb17c2b",
        sum("count_64d3797e") AS "count_64d3797e",
        sum(__rows) AS __rows
      FROM (SELECT *
        FROM (SELECT *,
            pane AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 60000000 AND pane < $upto::BIGINT))
        WHERE __start + 60000000 > pane AND __start + 60000000 > $after::BIGINT AND __start + 60000000 <= $upto::BIGINT)
      GROUP BY __start,
        "odd"))

-- windows: estimates of two levels, revised, few windows
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 10000000 AS __end,
      "k",
      ("count_64d3797e") AS "n",
      ("sum_ac231eea") AS "s",
      ("max_f0cde295") AS "top"
    FROM (SELECT __start,
        "k",
        sum("count_64d3797e") AS "count_64d3797e",
        max("max_f0cde295") AS "max_f0cde295",
        sum("sum_ac231eea") AS "sum_ac231eea"
      FROM (SELECT *
        FROM (SELECT p.*,
            $first::BIGINT + o.i * 5000000 AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT) AS p
          CROSS JOIN range(0, 1) AS o(i))
        WHERE pane >= __start AND pane < __start + 10000000)
      GROUP BY __start,
        "k"))

-- windows: estimates of two levels, revised
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 10000000 AS __end,
      "k",
      ("count_64d3797e") AS "n",
      ("sum_ac231eea") AS "s",
      ("max_f0cde295") AS "top"
    FROM (SELECT __start,
        "k",
        sum("count_64d3797e") AS "count_64d3797e",
        max("max_f0cde295") AS "max_f0cde295",
        sum("sum_ac231eea") AS "sum_ac231eea"
      FROM (SELECT *
        FROM (SELECT p.*,
            pane - (((pane - 0) % 5000000 + 5000000) % 5000000) - o.i * 5000000 AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT) AS p
          CROSS JOIN range(0, 2) AS o(i))
        WHERE __start + 10000000 > pane AND __start + 10000000 > $after::BIGINT AND __start + 10000000 <= $upto::BIGINT)
      GROUP BY __start,
        "k"))

-- windows: estimates of two levels, revised, level 2
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 60000000 AS __end,
      "odd",
      ("sum_67347bc1") AS "rows",
      ("max_fcb17c2b") AS "best",
      ("count_64d3797e") AS "groups",
      __rows
    FROM (SELECT __start,
        "odd",
        sw_long(sum("sum_67347bc1")) AS "sum_67347bc1",
        max("max_fcb17c2b") AS "max_fcb17c2b",
        sum("count_64d3797e") AS "count_64d3797e",
        sum(__rows) AS __rows
      FROM (SELECT *
        FROM (SELECT *,
            pane AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 60000000 AND pane < $upto::BIGINT))
        WHERE __start + 60000000 > pane AND __start + 60000000 > $after::BIGINT AND __start + 60000000 <= $upto::BIGINT)
      GROUP BY __start,
        "odd"))

-- windows: costly
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 10000000 AS __end,
      "k",
      ("count_64d3797e") AS "n",
      ("sum_ac231eea") AS "s",
      __rows
    FROM (SELECT __start,
        "k",
        sum("count_64d3797e") AS "count_64d3797e",
        sum("sum_ac231eea") AS "sum_ac231eea",
        sum(__rows) AS __rows
      FROM (SELECT *
        FROM (SELECT *,
            pane AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT))
        WHERE __start + 10000000 > pane AND __start + 10000000 > $after::BIGINT AND __start + 10000000 <= $upto::BIGINT)
      GROUP BY __start,
        "k"))

-- windows: exact, few windows
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 10000000 AS __end,
      "k",
      ("read_b2fc6deb") AS "mid",
      ("read_1c705278") AS "kinds",
      ("count_64d3797e") AS "n",
      ("read_a6a99627") AS "sites",
      ("read_6be0b3f7") AS "all",
      ("read_f7a9d512") AS "end"
    FROM (SELECT "__start",
        "k",
        sum("count_64d3797e") AS "count_64d3797e",
        max("last_c0c2603b") AS "last_c0c2603b",
        sw_between(min("value_0f2a54b5") FILTER (WHERE "value_0f2a54b5" IS NOT NULL AND "__upto_value_0f2a54b5" > floor(CAST("__all_value_0f2a54b5" - 1 AS DOUBLE) * CAST(0.5 AS DOUBLE))), min("value_0f2a54b5") FILTER (WHERE "value_0f2a54b5" IS NOT NULL AND "__upto_value_0f2a54b5" > ceil(CAST("__all_value_0f2a54b5" - 1 AS DOUBLE) * CAST(0.5 AS DOUBLE))), max(CAST("__all_value_0f2a54b5" - 1 AS DOUBLE) * CAST(0.5 AS DOUBLE))) AS "read_b2fc6deb",
        count(DISTINCT row("value_879c0839", "value_072bc288")) FILTER (WHERE "value_879c0839" IS NOT NULL AND "value_072bc288" IS NOT NULL) AS "read_1c705278",
        coalesce(list(DISTINCT "value_879c0839"
          ORDER BY "value_879c0839") FILTER (WHERE "value_879c0839" IS NOT NULL), []) AS "read_a6a99627",
        coalesce(flatten(list(repeat(["value_072bc288"], CAST(__rows AS BIGINT))
            ORDER BY "value_072bc288") FILTER (WHERE "value_072bc288" IS NOT NULL)), []) AS "read_6be0b3f7",
        struct_extract(max("last_c0c2603b"), 'v') AS "read_f7a9d512"
      FROM (SELECT *,
          sum(CASE WHEN "value_0f2a54b5" IS NOT NULL THEN __rows END) OVER (PARTITION BY "__start", "k"
          ORDER BY "value_0f2a54b5") AS "__upto_value_0f2a54b5",
          sum(CASE WHEN "value_0f2a54b5" IS NOT NULL THEN __rows END) OVER (PARTITION BY "__start", "k") AS "__all_value_0f2a54b5"
        FROM (SELECT *
          FROM (SELECT p.*,
              $first::BIGINT + o.i * 1000000 AS __start
            FROM (SELECT *
              FROM panes
              WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT) AS p
            CROSS JOIN range(0, 9) AS o(i))
          WHERE pane >= __start AND pane < __start + 10000000))
      GROUP BY "__start",
        "k"))

-- windows: exact
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (WITH w4 AS MATERIALIZED (SELECT __start,
        "k",
        "value_072bc288",
        "value_0f2a54b5",
        "value_879c0839",
        sum("count_64d3797e") AS "count_64d3797e",
        max("last_c0c2603b") AS "last_c0c2603b",
        sum(__rows) AS __rows
      FROM (SELECT "k",
          "count_64d3797e",
          "last_c0c2603b",
          "value_072bc288",
          "value_0f2a54b5",
          "value_879c0839",
          "__rows",
          p.__start - 0 - o.i * 1000000 AS __start
        FROM (SELECT "k",
            "count_64d3797e",
            "last_c0c2603b",
            "value_072bc288",
            "value_0f2a54b5",
            "value_879c0839",
            "__rows",
            pane - (((pane - 0) % 1000000 + 1000000) % 1000000) AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT)) AS p
        CROSS JOIN range(0, 4) AS o(i))
      GROUP BY __start,
        "k",
        "value_072bc288",
        "value_0f2a54b5",
        "value_879c0839") SELECT __start,
      __start + 10000000 AS __end,
      "k",
      ("read_b2fc6deb") AS "mid",
      ("read_1c705278") AS "kinds",
      ("count_64d3797e") AS "n",
      ("read_a6a99627") AS "sites",
      ("read_6be0b3f7") AS "all",
      ("read_f7a9d512") AS "end"
    FROM (SELECT "__start",
        "k",
        sum("count_64d3797e") AS "count_64d3797e",
        max("last_c0c2603b") AS "last_c0c2603b",
        sw_between(min("value_0f2a54b5") FILTER (WHERE "value_0f2a54b5" IS NOT NULL AND "__upto_value_0f2a54b5" > floor(CAST("__all_value_0f2a54b5" - 1 AS DOUBLE) * CAST(0.5 AS DOUBLE))), min("value_0f2a54b5") FILTER (WHERE "value_0f2a54b5" IS NOT NULL AND "__upto_value_0f2a54b5" > ceil(CAST("__all_value_0f2a54b5" - 1 AS DOUBLE) * CAST(0.5 AS DOUBLE))), max(CAST("__all_value_0f2a54b5" - 1 AS DOUBLE) * CAST(0.5 AS DOUBLE))) AS "read_b2fc6deb",
        count(DISTINCT row("value_879c0839", "value_072bc288")) FILTER (WHERE "value_879c0839" IS NOT NULL AND "value_072bc288" IS NOT NULL) AS "read_1c705278",
        coalesce(list(DISTINCT "value_879c0839"
          ORDER BY "value_879c0839") FILTER (WHERE "value_879c0839" IS NOT NULL), []) AS "read_a6a99627",
        coalesce(flatten(list(repeat(["value_072bc288"], CAST(__rows AS BIGINT))
            ORDER BY "value_072bc288") FILTER (WHERE "value_072bc288" IS NOT NULL)), []) AS "read_6be0b3f7",
        struct_extract(max("last_c0c2603b"), 'v') AS "read_f7a9d512"
      FROM (SELECT *,
          sum(CASE WHEN "value_0f2a54b5" IS NOT NULL THEN __rows END) OVER (PARTITION BY "__start", "k"
          ORDER BY "value_0f2a54b5") AS "__upto_value_0f2a54b5",
          sum(CASE WHEN "value_0f2a54b5" IS NOT NULL THEN __rows END) OVER (PARTITION BY "__start", "k") AS "__all_value_0f2a54b5"
        FROM (SELECT *
          FROM (SELECT "k",
              "count_64d3797e",
              "last_c0c2603b",
              "value_072bc288",
              "value_0f2a54b5",
              "value_879c0839",
              "__rows",
              p.__start - 0 - o.i * 4000000 AS __start
            FROM w4 AS p
            CROSS JOIN range(0, 2) AS o(i)
            UNION ALL SELECT "k",
              "count_64d3797e",
              "last_c0c2603b",
              "value_072bc288",
              "value_0f2a54b5",
              "value_879c0839",
              "__rows",
              p.__start - 8000000 - o.i * 1000000 AS __start
            FROM (SELECT "k",
                "count_64d3797e",
                "last_c0c2603b",
                "value_072bc288",
                "value_0f2a54b5",
                "value_879c0839",
                "__rows",
                pane - (((pane - 0) % 1000000 + 1000000) % 1000000) AS __start
              FROM (SELECT *
                FROM panes
                WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT)) AS p
            CROSS JOIN range(0, 2) AS o(i))
          WHERE __start + 10000000 > $after::BIGINT AND __start + 10000000 <= $upto::BIGINT))
      GROUP BY "__start",
        "k"))

-- windows: related, few windows
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (WITH __source AS MATERIALIZED (SELECT *
      FROM (SELECT p.*,
          $first::BIGINT + o.i * 5000000 AS __start
        FROM (SELECT *
          FROM panes
          WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT) AS p
        CROSS JOIN range(0, 1) AS o(i))
      WHERE pane >= __start AND pane < __start + 10000000), __groups AS MATERIALIZED (SELECT *,
        row_number() OVER () AS __g
      FROM (SELECT "__start",
          "k",
          sum(__rows) AS __rows
        FROM __source
        GROUP BY "__start",
          "k")), __members AS MATERIALIZED (SELECT "value_0f2a54b5",
        __groups.__g
      FROM __source AS p
      JOIN __groups
      ON p."__start" IS NOT DISTINCT FROM __groups."__start" AND p."k" IS NOT DISTINCT FROM __groups."k"
      WHERE p.__rows = 1
      UNION ALL SELECT "value_0f2a54b5",
        __groups.__g
      FROM (SELECT p.*,
          unnest(range(CAST(p.__rows AS BIGINT))) AS __copy
        FROM __source AS p
        WHERE p.__rows > 1) AS p
      JOIN __groups
      ON p."__start" IS NOT DISTINCT FROM __groups."__start" AND p."k" IS NOT DISTINCT FROM __groups."k") SELECT __groups."__start",
      __groups."k",
      __groups.__start + 10000000 AS __end,
      __answer."n",
      __rows
    FROM __groups
    CROSS JOIN LATERAL (SELECT count(*) AS "n"
      FROM (SELECT "value_0f2a54b5" AS "v"
        FROM __members
        WHERE __members.__g = __groups.__g) AS "window"
      WHERE ("window"."v" > (SELECT (max("window"."v") / nullif(CAST(2 AS DOUBLE), 0)) AS "__c0"
          FROM (SELECT "value_0f2a54b5" AS "v"
            FROM __members
            WHERE __members.__g = __groups.__g) AS "window"))) AS __answer)

-- windows: related
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (WITH __source AS MATERIALIZED (SELECT *
      FROM (SELECT p.*,
          pane - (((pane - 0) % 5000000 + 5000000) % 5000000) - o.i * 5000000 AS __start
        FROM (SELECT *
          FROM panes
          WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT) AS p
        CROSS JOIN range(0, 2) AS o(i))
      WHERE __start + 10000000 > pane AND __start + 10000000 > $after::BIGINT AND __start + 10000000 <= $upto::BIGINT), __groups AS MATERIALIZED (SELECT *,
        row_number() OVER () AS __g
      FROM (SELECT "__start",
          "k",
          sum(__rows) AS __rows
        FROM __source
        GROUP BY "__start",
          "k")), __members AS MATERIALIZED (SELECT "value_0f2a54b5",
        __groups.__g
      FROM __source AS p
      JOIN __groups
      ON p."__start" IS NOT DISTINCT FROM __groups."__start" AND p."k" IS NOT DISTINCT FROM __groups."k"
      WHERE p.__rows = 1
      UNION ALL SELECT "value_0f2a54b5",
        __groups.__g
      FROM (SELECT p.*,
          unnest(range(CAST(p.__rows AS BIGINT))) AS __copy
        FROM __source AS p
        WHERE p.__rows > 1) AS p
      JOIN __groups
      ON p."__start" IS NOT DISTINCT FROM __groups."__start" AND p."k" IS NOT DISTINCT FROM __groups."k") SELECT __groups."__start",
      __groups."k",
      __groups.__start + 10000000 AS __end,
      __answer."n",
      __rows
    FROM __groups
    CROSS JOIN LATERAL (SELECT count(*) AS "n"
      FROM (SELECT "value_0f2a54b5" AS "v"
        FROM __members
        WHERE __members.__g = __groups.__g) AS "window"
      WHERE ("window"."v" > (SELECT (max("window"."v") / nullif(CAST(2 AS DOUBLE), 0)) AS "__c0"
          FROM (SELECT "value_0f2a54b5" AS "v"
            FROM __members
            WHERE __members.__g = __groups.__g) AS "window"))) AS __answer)

-- join: aggregate above, few windows
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 10000000 AS __end,
      "k",
      ("count_64d3797e") AS "n",
      (CASE WHEN ("count_7870ce64" > CAST(0 AS BIGINT)) THEN ("dsum_b056ae31" / nullif(CAST("count_7870ce64" AS DOUBLE), 0)) ELSE CAST(NULL AS DOUBLE) END) AS "mean"
    FROM (SELECT __start,
        "k",
        sum("count_64d3797e") AS "count_64d3797e",
        sum("dsum_b056ae31") AS "dsum_b056ae31",
        sum("count_7870ce64") AS "count_7870ce64"
      FROM (SELECT *
        FROM (SELECT p.*,
            $first::BIGINT + o.i * 5000000 AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT) AS p
          CROSS JOIN range(0, 1) AS o(i))
        WHERE pane >= __start AND pane < __start + 10000000)
      GROUP BY __start,
        "k"))

-- join: aggregate above
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 10000000 AS __end,
      "k",
      ("count_64d3797e") AS "n",
      (CASE WHEN ("count_7870ce64" > CAST(0 AS BIGINT)) THEN ("dsum_b056ae31" / nullif(CAST("count_7870ce64" AS DOUBLE), 0)) ELSE CAST(NULL AS DOUBLE) END) AS "mean"
    FROM (SELECT __start,
        "k",
        sum("count_64d3797e") AS "count_64d3797e",
        sum("dsum_b056ae31") AS "dsum_b056ae31",
        sum("count_7870ce64") AS "count_7870ce64"
      FROM (SELECT *
        FROM (SELECT p.*,
            pane - (((pane - 0) % 5000000 + 5000000) % 5000000) - o.i * 5000000 AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT) AS p
          CROSS JOIN range(0, 2) AS o(i))
        WHERE __start + 10000000 > pane AND __start + 10000000 > $after::BIGINT AND __start + 10000000 <= $upto::BIGINT)
      GROUP BY __start,
        "k"))

-- join: aggregate above, estimated, few windows
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 10000000 AS __end,
      "k",
      ("count_64d3797e") AS "n",
      (CASE WHEN ("count_7870ce64" > CAST(0 AS BIGINT)) THEN ("dsum_b056ae31" / nullif(CAST("count_7870ce64" AS DOUBLE), 0)) ELSE CAST(NULL AS DOUBLE) END) AS "mean",
      __rows
    FROM (SELECT __start,
        "k",
        sum("count_64d3797e") AS "count_64d3797e",
        sum("dsum_b056ae31") AS "dsum_b056ae31",
        sum("count_7870ce64") AS "count_7870ce64",
        sum(__rows) AS __rows
      FROM (SELECT *
        FROM (SELECT p.*,
            $first::BIGINT + o.i * 5000000 AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT) AS p
          CROSS JOIN range(0, 1) AS o(i))
        WHERE pane >= __start AND pane < __start + 10000000)
      GROUP BY __start,
        "k"))

-- join: aggregate above, estimated
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 10000000 AS __end,
      "k",
      ("count_64d3797e") AS "n",
      (CASE WHEN ("count_7870ce64" > CAST(0 AS BIGINT)) THEN ("dsum_b056ae31" / nullif(CAST("count_7870ce64" AS DOUBLE), 0)) ELSE CAST(NULL AS DOUBLE) END) AS "mean",
      __rows
    FROM (SELECT __start,
        "k",
        sum("count_64d3797e") AS "count_64d3797e",
        sum("dsum_b056ae31") AS "dsum_b056ae31",
        sum("count_7870ce64") AS "count_7870ce64",
        sum(__rows) AS __rows
      FROM (SELECT *
        FROM (SELECT p.*,
            pane - (((pane - 0) % 5000000 + 5000000) % 5000000) - o.i * 5000000 AS __start
          FROM (SELECT *
            FROM panes
            WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT) AS p
          CROSS JOIN range(0, 2) AS o(i))
        WHERE __start + 10000000 > pane AND __start + 10000000 > $after::BIGINT AND __start + 10000000 <= $upto::BIGINT)
      GROUP BY __start,
        "k"))

-- join: aggregate above, grouped, few windows
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 10000000 AS __end,
      "site",
      ("count_64d3797e") AS "n",
      ("sum_cf4c10f4") AS "s",
      (CASE WHEN ("count_f6a7df80" > CAST(0 AS BIGINT)) THEN ("dsum_ddd98ce4" / nullif(CAST("count_f6a7df80" AS DOUBLE), 0)) ELSE CAST(NULL AS DOUBLE) END) AS "mean",
      (CASE WHEN ("count_28c5b53d" > CAST(0 AS BIGINT)) THEN sqrt(("m2_f2ea6aa0" / nullif(CAST((sw_long(CAST("count_28c5b53d" AS HUGEINT) - CAST(CAST(0 AS BIGINT) AS HUGEINT))) AS DOUBLE), 0))) ELSE CAST(NULL AS DOUBLE) END) AS "sd",
      ("max_0c788a40") AS "top"
    FROM (SELECT __start,
        "site",
        sum("count_64d3797e") AS "count_64d3797e",
        sum("sum_cf4c10f4") AS "sum_cf4c10f4",
        sum("dsum_ddd98ce4") AS "dsum_ddd98ce4",
        sum("count_f6a7df80") AS "count_f6a7df80",
        sum("count_28c5b53d") AS "count_28c5b53d",
        max("__mean_87a4ae70") AS "mean_87a4ae70",
        sum("m2_f2ea6aa0" + coalesce("count_28c5b53d" * ("mean_87a4ae70" - "__mean_87a4ae70") * ("mean_87a4ae70" - "__mean_87a4ae70"), 0)) AS "m2_f2ea6aa0",
        max("max_0c788a40") AS "max_0c788a40"
      FROM (SELECT *,
          sum("count_28c5b53d" * "mean_87a4ae70") OVER (PARTITION BY __start, "site") / nullif(sum("count_28c5b53d") OVER (PARTITION BY __start, "site"), 0) AS "__mean_87a4ae70"
        FROM (SELECT *
          FROM (SELECT p.*,
              $first::BIGINT + o.i * 5000000 AS __start
            FROM (SELECT *
              FROM panes
              WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT) AS p
            CROSS JOIN range(0, 1) AS o(i))
          WHERE pane >= __start AND pane < __start + 10000000))
      GROUP BY __start,
        "site"))

-- join: aggregate above, grouped
SELECT *,
    CAST(0 AS INT) AS revision
  FROM (SELECT __start,
      __start + 10000000 AS __end,
      "site",
      ("count_64d3797e") AS "n",
      ("sum_cf4c10f4") AS "s",
      (CASE WHEN ("count_f6a7df80" > CAST(0 AS BIGINT)) THEN ("dsum_ddd98ce4" / nullif(CAST("count_f6a7df80" AS DOUBLE), 0)) ELSE CAST(NULL AS DOUBLE) END) AS "mean",
      (CASE WHEN ("count_28c5b53d" > CAST(0 AS BIGINT)) THEN sqrt(("m2_f2ea6aa0" / nullif(CAST((sw_long(CAST("count_28c5b53d" AS HUGEINT) - CAST(CAST(0 AS BIGINT) AS HUGEINT))) AS DOUBLE), 0))) ELSE CAST(NULL AS DOUBLE) END) AS "sd",
      ("max_0c788a40") AS "top"
    FROM (SELECT __start,
        "site",
        sum("count_64d3797e") AS "count_64d3797e",
        sum("sum_cf4c10f4") AS "sum_cf4c10f4",
        sum("dsum_ddd98ce4") AS "dsum_ddd98ce4",
        sum("count_f6a7df80") AS "count_f6a7df80",
        sum("count_28c5b53d") AS "count_28c5b53d",
        max("__mean_87a4ae70") AS "mean_87a4ae70",
        sum("m2_f2ea6aa0" + coalesce("count_28c5b53d" * ("mean_87a4ae70" - "__mean_87a4ae70") * ("mean_87a4ae70" - "__mean_87a4ae70"), 0)) AS "m2_f2ea6aa0",
        max("max_0c788a40") AS "max_0c788a40"
      FROM (SELECT *,
          sum("count_28c5b53d" * "mean_87a4ae70") OVER (PARTITION BY __start, "site") / nullif(sum("count_28c5b53d") OVER (PARTITION BY __start, "site"), 0) AS "__mean_87a4ae70"
        FROM (SELECT *
          FROM (SELECT p.*,
              pane - (((pane - 0) % 5000000 + 5000000) % 5000000) - o.i * 5000000 AS __start
            FROM (SELECT *
              FROM panes
              WHERE pane > $after::BIGINT - 10000000 AND pane < $upto::BIGINT) AS p
            CROSS JOIN range(0, 2) AS o(i))
          WHERE __start + 10000000 > pane AND __start + 10000000 > $after::BIGINT AND __start + 10000000 <= $upto::BIGINT))
      GROUP BY __start,
        "site"))
