-- windows: tumbling
SELECT make_timestamptz(__start) AS window_start,
    make_timestamptz(__end) AS window_end,
    "k",
    "n",
    "s",
    "top",
    CASE WHEN revision = 0 THEN 'final' ELSE 'revision' END AS kind,
    abs(revision) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    __start < $origin::BIGINT AS boundary,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM results

-- windows: tumbling, at once
SELECT make_timestamptz(__start) AS window_start,
    make_timestamptz(__end) AS window_end,
    "k",
    "n",
    "s",
    "top",
    CASE WHEN revision = 0 THEN 'final' ELSE 'revision' END AS kind,
    abs(revision) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    __start < $origin::BIGINT AS boundary,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM (SELECT *,
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
          "k")))

-- windows: sliding
SELECT make_timestamptz(__start) AS window_start,
    make_timestamptz(__end) AS window_end,
    "k",
    "n",
    "s",
    "top",
    CASE WHEN revision = 0 THEN 'final' ELSE 'revision' END AS kind,
    abs(revision) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    __start < $origin::BIGINT AS boundary,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM results

-- windows: sliding, at once
SELECT make_timestamptz(__start) AS window_start,
    make_timestamptz(__end) AS window_end,
    "k",
    "n",
    "s",
    "top",
    CASE WHEN revision = 0 THEN 'final' ELSE 'revision' END AS kind,
    abs(revision) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    __start < $origin::BIGINT AS boundary,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM (SELECT *,
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
            CROSS JOIN range(0, 1) AS o(i))
          WHERE pane >= __start AND pane < __start + 10000000)
        GROUP BY __start,
          "k")))

-- windows: uneven
SELECT make_timestamptz(__start) AS window_start,
    make_timestamptz(__end) AS window_end,
    "k",
    "n",
    "s",
    "top",
    CASE WHEN revision = 0 THEN 'final' ELSE 'revision' END AS kind,
    abs(revision) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    __start < $origin::BIGINT AS boundary,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM results

-- windows: uneven, at once
SELECT make_timestamptz(__start) AS window_start,
    make_timestamptz(__end) AS window_end,
    "k",
    "n",
    "s",
    "top",
    CASE WHEN revision = 0 THEN 'final' ELSE 'revision' END AS kind,
    abs(revision) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    __start < $origin::BIGINT AS boundary,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM (SELECT *,
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
            CROSS JOIN range(0, 1) AS o(i))
          WHERE pane >= __start AND pane < __start + 10000000)
        GROUP BY __start,
          "k")))

-- windows: shifted
SELECT make_timestamptz(__start) AS window_start,
    make_timestamptz(__end) AS window_end,
    "k",
    "n",
    "s",
    "top",
    CASE WHEN revision = 0 THEN 'final' ELSE 'revision' END AS kind,
    abs(revision) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    __start < $origin::BIGINT AS boundary,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM results

-- windows: shifted, at once
SELECT make_timestamptz(__start) AS window_start,
    make_timestamptz(__end) AS window_end,
    "k",
    "n",
    "s",
    "top",
    CASE WHEN revision = 0 THEN 'final' ELSE 'revision' END AS kind,
    abs(revision) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    __start < $origin::BIGINT AS boundary,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM (SELECT *,
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
          "k")))

-- windows: without keys
SELECT make_timestamptz(__start) AS window_start,
    make_timestamptz(__end) AS window_end,
    "n",
    "s",
    CASE WHEN revision = 0 THEN 'final' ELSE 'revision' END AS kind,
    abs(revision) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    __start < $origin::BIGINT AS boundary,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM results

-- windows: without keys, at once
SELECT make_timestamptz(__start) AS window_start,
    make_timestamptz(__end) AS window_end,
    "n",
    "s",
    CASE WHEN revision = 0 THEN 'final' ELSE 'revision' END AS kind,
    abs(revision) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    __start < $origin::BIGINT AS boundary,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM (SELECT *,
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
        GROUP BY __start)))

-- windows: wall clock
SELECT make_timestamp(__start) AS window_start,
    make_timestamp(__end) AS window_end,
    "hour",
    "n",
    CASE WHEN revision = 0 THEN 'final' ELSE 'revision' END AS kind,
    abs(revision) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    __start < $origin::BIGINT AS boundary,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM results

-- windows: composite
SELECT make_timestamptz(__start) AS window_start,
    make_timestamptz(__end) AS window_end,
    "next",
    "site",
    "mean",
    "rate",
    "share",
    "spread",
    "sd",
    "money",
    "fair",
    "whole",
    "round",
    "long",
    CASE WHEN revision = 0 THEN 'final' ELSE 'revision' END AS kind,
    abs(revision) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    __start < $origin::BIGINT AS boundary,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM results

-- windows: sketches
SELECT make_timestamptz(__start) AS window_start,
    make_timestamptz(__end) AS window_end,
    "site",
    "users",
    "middle",
    "n",
    CASE WHEN revision = 0 THEN 'final' ELSE 'revision' END AS kind,
    abs(revision) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    __start < $origin::BIGINT AS boundary,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM results

-- windows: sketches, at once
SELECT make_timestamptz(__start) AS window_start,
    make_timestamptz(__end) AS window_end,
    "site",
    "users",
    "middle",
    "n",
    CASE WHEN revision = 0 THEN 'final' ELSE 'revision' END AS kind,
    abs(revision) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    __start < $origin::BIGINT AS boundary,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM (SELECT *,
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
          "site")))

-- windows: odd names
SELECT make_timestamptz(__start) AS window_start,
    make_timestamptz(__end) AS window_end,
    "It's",
    "All.of it",
    CASE WHEN revision = 0 THEN 'final' ELSE 'revision' END AS kind,
    abs(revision) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    __start < $origin::BIGINT AS boundary,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at,
    __rows AS tuples,
    CAST(NULL AS STRING) AS prod,
    CAST(NULL AS DOUBLE) AS "All.of it_low",
    CAST(NULL AS DOUBLE) AS "All.of it_high"
  FROM results

-- windows: revised
SELECT make_timestamptz(__start) AS window_start,
    make_timestamptz(__end) AS window_end,
    "k",
    "n",
    "s",
    "top",
    CASE WHEN revision = 0 THEN 'final' ELSE 'revision' END AS kind,
    abs(revision) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    __start < $origin::BIGINT AS boundary,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM results

-- windows: two levels
SELECT make_timestamptz(__start) AS window_start,
    make_timestamptz(__end) AS window_end,
    "odd",
    "rows",
    "best",
    "groups",
    CASE WHEN revision = 0 THEN 'final' ELSE 'revision' END AS kind,
    abs(revision) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    __start < $origin::BIGINT AS boundary,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM results

-- windows: two levels, filtered and revised
SELECT make_timestamptz(__start) AS window_start,
    make_timestamptz(__end) AS window_end,
    "odd",
    "rows",
    "best",
    "groups",
    CASE WHEN revision = 0 THEN 'final' ELSE 'revision' END AS kind,
    abs(revision) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    __start < $origin::BIGINT AS boundary,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM results

-- windows: three levels, revised
SELECT make_timestamptz(__start) AS window_start,
    make_timestamptz(__end) AS window_end,
    "most",
    CASE WHEN revision = 0 THEN 'final' ELSE 'revision' END AS kind,
    abs(revision) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    __start < $origin::BIGINT AS boundary,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM results

-- windows: error bound
SELECT make_timestamptz(__start) AS window_start,
    make_timestamptz(__end) AS window_end,
    "k",
    "n",
    "s",
    "top",
    CASE WHEN revision = 0 THEN 'final' ELSE 'revision' END AS kind,
    abs(revision) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    __start < $origin::BIGINT AS boundary,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM results

-- windows: estimates
SELECT make_timestamptz(__start) AS window_start,
    make_timestamptz(__end) AS window_end,
    "k",
    "n",
    "s",
    "top",
    CASE WHEN revision = 0 THEN 'final' ELSE 'revision' END AS kind,
    abs(revision) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    __start < $origin::BIGINT AS boundary,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at,
    __rows AS tuples,
    CAST(NULL AS STRING) AS prod,
    CAST(NULL AS DOUBLE) AS "n_scaled",
    CAST(NULL AS DOUBLE) AS "s_scaled",
    CAST(NULL AS DOUBLE) AS "n_low",
    CAST(NULL AS DOUBLE) AS "n_high",
    CAST(NULL AS DOUBLE) AS "s_low",
    CAST(NULL AS DOUBLE) AS "s_high",
    CAST(NULL AS DOUBLE) AS "top_low",
    CAST(NULL AS DOUBLE) AS "top_high"
  FROM results

-- windows: estimates, at once
SELECT make_timestamptz(__start) AS window_start,
    make_timestamptz(__end) AS window_end,
    "k",
    "n",
    "s",
    "top",
    CASE WHEN revision = 0 THEN 'final' ELSE 'revision' END AS kind,
    abs(revision) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    __start < $origin::BIGINT AS boundary,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at,
    __rows AS tuples,
    CAST(NULL AS STRING) AS prod,
    CAST(NULL AS DOUBLE) AS "n_scaled",
    CAST(NULL AS DOUBLE) AS "s_scaled",
    CAST(NULL AS DOUBLE) AS "n_low",
    CAST(NULL AS DOUBLE) AS "n_high",
    CAST(NULL AS DOUBLE) AS "s_low",
    CAST(NULL AS DOUBLE) AS "s_high",
    CAST(NULL AS DOUBLE) AS "top_low",
    CAST(NULL AS DOUBLE) AS "top_high"
  FROM (SELECT *,
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
          "k")))

-- windows: estimates of two levels
SELECT make_timestamptz(__start) AS window_start,
    make_timestamptz(__end) AS window_end,
    "odd",
    "rows",
    "best",
    "groups",
    CASE WHEN revision = 0 THEN 'final' ELSE 'revision' END AS kind,
    abs(revision) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    __start < $origin::BIGINT AS boundary,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at,
    __rows AS tuples,
    CAST(NULL AS STRING) AS prod,
    CAST(NULL AS DOUBLE) AS "rows_low",
    CAST(NULL AS DOUBLE) AS "rows_high",
    CAST(NULL AS DOUBLE) AS "best_low",
    CAST(NULL AS DOUBLE) AS "best_high",
    CAST(NULL AS DOUBLE) AS "groups_low",
    CAST(NULL AS DOUBLE) AS "groups_high"
  FROM results

-- windows: estimates of two levels, revised
SELECT make_timestamptz(__start) AS window_start,
    make_timestamptz(__end) AS window_end,
    "odd",
    "rows",
    "best",
    "groups",
    CASE WHEN revision = 0 THEN 'final' ELSE 'revision' END AS kind,
    abs(revision) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    __start < $origin::BIGINT AS boundary,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at,
    __rows AS tuples,
    CAST(NULL AS STRING) AS prod,
    CAST(NULL AS DOUBLE) AS "rows_low",
    CAST(NULL AS DOUBLE) AS "rows_high",
    CAST(NULL AS DOUBLE) AS "best_low",
    CAST(NULL AS DOUBLE) AS "best_high",
    CAST(NULL AS DOUBLE) AS "groups_low",
    CAST(NULL AS DOUBLE) AS "groups_high"
  FROM results

-- windows: costly
SELECT make_timestamptz(__start) AS window_start,
    make_timestamptz(__end) AS window_end,
    "k",
    "n",
    "s",
    CASE WHEN revision = 0 THEN 'final' ELSE 'revision' END AS kind,
    abs(revision) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    __start < $origin::BIGINT AS boundary,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at,
    __rows AS tuples,
    CAST(NULL AS STRING) AS prod,
    CAST(NULL AS DOUBLE) AS "n_scaled",
    CAST(NULL AS DOUBLE) AS "s_scaled",
    CAST(NULL AS DOUBLE) AS "n_low",
    CAST(NULL AS DOUBLE) AS "n_high",
    CAST(NULL AS DOUBLE) AS "s_low",
    CAST(NULL AS DOUBLE) AS "s_high"
  FROM results

-- windows: costly, at once
SELECT make_timestamptz(__start) AS window_start,
    make_timestamptz(__end) AS window_end,
    "k",
    "n",
    "s",
    CASE WHEN revision = 0 THEN 'final' ELSE 'revision' END AS kind,
    abs(revision) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    __start < $origin::BIGINT AS boundary,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at,
    __rows AS tuples,
    CAST(NULL AS STRING) AS prod,
    CAST(NULL AS DOUBLE) AS "n_scaled",
    CAST(NULL AS DOUBLE) AS "s_scaled",
    CAST(NULL AS DOUBLE) AS "n_low",
    CAST(NULL AS DOUBLE) AS "n_high",
    CAST(NULL AS DOUBLE) AS "s_low",
    CAST(NULL AS DOUBLE) AS "s_high"
  FROM (SELECT *,
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
          "k")))

-- windows: exact
SELECT make_timestamptz(__start) AS window_start,
    make_timestamptz(__end) AS window_end,
    "k",
    "mid",
    "kinds",
    "n",
    "sites",
    "all",
    "end",
    CASE WHEN revision = 0 THEN 'final' ELSE 'revision' END AS kind,
    abs(revision) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    __start < $origin::BIGINT AS boundary,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM results

-- windows: related
SELECT make_timestamptz(__start) AS window_start,
    make_timestamptz(__end) AS window_end,
    "k",
    "n",
    CASE WHEN revision = 0 THEN 'final' ELSE 'revision' END AS kind,
    abs(revision) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    __start < $origin::BIGINT AS boundary,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at,
    __rows AS tuples,
    CAST(NULL AS STRING) AS prod,
    CAST(NULL AS DOUBLE) AS "n_low",
    CAST(NULL AS DOUBLE) AS "n_high"
  FROM results

-- join: aggregate above
SELECT make_timestamptz(__start) AS window_start,
    make_timestamptz(__end) AS window_end,
    "k",
    "n",
    "mean",
    CASE WHEN revision = 0 THEN 'final' ELSE 'revision' END AS kind,
    abs(revision) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    __start < $origin::BIGINT AS boundary,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM results

-- join: aggregate above, estimated
SELECT make_timestamptz(__start) AS window_start,
    make_timestamptz(__end) AS window_end,
    "k",
    "n",
    "mean",
    CASE WHEN revision = 0 THEN 'final' ELSE 'revision' END AS kind,
    abs(revision) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    __start < $origin::BIGINT AS boundary,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at,
    __rows AS tuples,
    CAST(NULL AS STRING) AS prod,
    CAST(NULL AS DOUBLE) AS "n_scaled",
    CAST(NULL AS DOUBLE) AS "n_low",
    CAST(NULL AS DOUBLE) AS "n_high",
    CAST(NULL AS DOUBLE) AS "mean_low",
    CAST(NULL AS DOUBLE) AS "mean_high"
  FROM results

-- join: aggregate above, estimated, at once
SELECT make_timestamptz(__start) AS window_start,
    make_timestamptz(__end) AS window_end,
    "k",
    "n",
    "mean",
    CASE WHEN revision = 0 THEN 'final' ELSE 'revision' END AS kind,
    abs(revision) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    __start < $origin::BIGINT AS boundary,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at,
    __rows AS tuples,
    CAST(NULL AS STRING) AS prod,
    CAST(NULL AS DOUBLE) AS "n_scaled",
    CAST(NULL AS DOUBLE) AS "n_low",
    CAST(NULL AS DOUBLE) AS "n_high",
    CAST(NULL AS DOUBLE) AS "mean_low",
    CAST(NULL AS DOUBLE) AS "mean_high"
  FROM (SELECT *,
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
          "k")))

-- join: aggregate above, grouped
SELECT make_timestamptz(__start) AS window_start,
    make_timestamptz(__end) AS window_end,
    "site",
    "n",
    "s",
    "mean",
    "sd",
    "top",
    CASE WHEN revision = 0 THEN 'final' ELSE 'revision' END AS kind,
    abs(revision) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    __start < $origin::BIGINT AS boundary,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM results
