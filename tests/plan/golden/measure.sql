-- windows: error bound
SELECT t."__start",
    t."k",
    t.__end,
    t.__rows,
    CAST(a."n" AS DOUBLE) AS "n",
    CAST(t."n" AS DOUBLE) AS "n_true",
    CASE WHEN NOT (a.__start IS NOT NULL) THEN 1.0 WHEN (CAST(t."n" AS DOUBLE) IS NULL OR isnan(CAST(t."n" AS DOUBLE))) AND (CAST(a."n" AS DOUBLE) IS NULL OR isnan(CAST(a."n" AS DOUBLE))) THEN 0.0 WHEN (CAST(t."n" AS DOUBLE) IS NULL OR isnan(CAST(t."n" AS DOUBLE))) OR (CAST(a."n" AS DOUBLE) IS NULL OR isnan(CAST(a."n" AS DOUBLE))) THEN 1.0 WHEN CAST(a."n" AS DOUBLE) = CAST(t."n" AS DOUBLE) THEN 0.0 WHEN CAST(t."n" AS DOUBLE) = 0 OR abs(CAST(t."n" AS DOUBLE)) = CAST('Infinity' AS DOUBLE) THEN CAST('Infinity' AS DOUBLE) ELSE abs(CAST(a."n" AS DOUBLE) - CAST(t."n" AS DOUBLE)) / abs(CAST(t."n" AS DOUBLE)) END AS "n_error",
    CAST(a."s" AS DOUBLE) AS "s",
    CAST(t."s" AS DOUBLE) AS "s_true",
    CASE WHEN NOT (a.__start IS NOT NULL) THEN 1.0 WHEN (CAST(t."s" AS DOUBLE) IS NULL OR isnan(CAST(t."s" AS DOUBLE))) AND (CAST(a."s" AS DOUBLE) IS NULL OR isnan(CAST(a."s" AS DOUBLE))) THEN 0.0 WHEN (CAST(t."s" AS DOUBLE) IS NULL OR isnan(CAST(t."s" AS DOUBLE))) OR (CAST(a."s" AS DOUBLE) IS NULL OR isnan(CAST(a."s" AS DOUBLE))) THEN 1.0 WHEN CAST(a."s" AS DOUBLE) = CAST(t."s" AS DOUBLE) THEN 0.0 WHEN CAST(t."s" AS DOUBLE) = 0 OR abs(CAST(t."s" AS DOUBLE)) = CAST('Infinity' AS DOUBLE) THEN CAST('Infinity' AS DOUBLE) ELSE abs(CAST(a."s" AS DOUBLE) - CAST(t."s" AS DOUBLE)) / abs(CAST(t."s" AS DOUBLE)) END AS "s_error",
    ((CASE WHEN NOT (a.__start IS NOT NULL) THEN 1.0 WHEN (CAST(t."n" AS DOUBLE) IS NULL OR isnan(CAST(t."n" AS DOUBLE))) AND (CAST(a."n" AS DOUBLE) IS NULL OR isnan(CAST(a."n" AS DOUBLE))) THEN 0.0 WHEN (CAST(t."n" AS DOUBLE) IS NULL OR isnan(CAST(t."n" AS DOUBLE))) OR (CAST(a."n" AS DOUBLE) IS NULL OR isnan(CAST(a."n" AS DOUBLE))) THEN 1.0 WHEN CAST(a."n" AS DOUBLE) = CAST(t."n" AS DOUBLE) THEN 0.0 WHEN CAST(t."n" AS DOUBLE) = 0 OR abs(CAST(t."n" AS DOUBLE)) = CAST('Infinity' AS DOUBLE) THEN CAST('Infinity' AS DOUBLE) ELSE abs(CAST(a."n" AS DOUBLE) - CAST(t."n" AS DOUBLE)) / abs(CAST(t."n" AS DOUBLE)) END) <= 0.1 AND (CASE WHEN NOT (a.__start IS NOT NULL) THEN 1.0 WHEN (CAST(t."s" AS DOUBLE) IS NULL OR isnan(CAST(t."s" AS DOUBLE))) AND (CAST(a."s" AS DOUBLE) IS NULL OR isnan(CAST(a."s" AS DOUBLE))) THEN 0.0 WHEN (CAST(t."s" AS DOUBLE) IS NULL OR isnan(CAST(t."s" AS DOUBLE))) OR (CAST(a."s" AS DOUBLE) IS NULL OR isnan(CAST(a."s" AS DOUBLE))) THEN 1.0 WHEN CAST(a."s" AS DOUBLE) = CAST(t."s" AS DOUBLE) THEN 0.0 WHEN CAST(t."s" AS DOUBLE) = 0 OR abs(CAST(t."s" AS DOUBLE)) = CAST('Infinity' AS DOUBLE) THEN CAST('Infinity' AS DOUBLE) ELSE abs(CAST(a."s" AS DOUBLE) - CAST(t."s" AS DOUBLE)) / abs(CAST(t."s" AS DOUBLE)) END) <= 0.1) AS within
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
        sum("count_7870ce64") AS "count_7870ce64",
        sum("dsquare_489767e3") AS "dsquare_489767e3",
        sum("dsum_b056ae31") AS "dsum_b056ae31",
        max("max_f0cde295") AS "max_f0cde295",
        sum("sum_ac231eea") AS "sum_ac231eea",
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
        "k")) AS t
  LEFT JOIN answers AS a
  ON t."__start" IS NOT DISTINCT FROM a."__start" AND t."k" IS NOT DISTINCT FROM a."k"
