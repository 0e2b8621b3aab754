-- windows: odd names
SELECT *
  FROM (SELECT make_timestamptz(r.__start) AS window_start,
      make_timestamptz(r.__end) AS window_end,
      r."It's",
      r."All.of it",
      'estimate' AS kind,
      m.revision,
      m.coverage,
      r.__start < $origin::BIGINT AS boundary,
      make_timestamptz($emitted_at::BIGINT) AS emitted_at,
      r.__rows AS tuples,
      m.prod,
      CASE WHEN m."All.of it_low" IS NOT NULL THEN least(CAST(r."All.of it" AS DOUBLE) * m."All.of it_low", CAST(r."All.of it" AS DOUBLE) * m."All.of it_high") END AS "All.of it_low",
      CASE WHEN m."All.of it_low" IS NOT NULL THEN greatest(CAST(r."All.of it" AS DOUBLE) * m."All.of it_low", CAST(r."All.of it" AS DOUBLE) * m."All.of it_high") END AS "All.of it_high",
      r.__start,
      m.__age,
      m.__keep,
      m.__ask
    FROM opened AS r
    JOIN marks AS m
    ON r.__start = m.__start)

-- windows: estimates
SELECT *
  FROM (SELECT make_timestamptz(r.__start) AS window_start,
      make_timestamptz(r.__end) AS window_end,
      r."k",
      r."n",
      r."s",
      r."top",
      'estimate' AS kind,
      m.revision,
      m.coverage,
      r.__start < $origin::BIGINT AS boundary,
      make_timestamptz($emitted_at::BIGINT) AS emitted_at,
      r.__rows AS tuples,
      m.prod,
      CASE WHEN m.coverage > 0 THEN CAST(r."n" AS DOUBLE) / m.coverage END AS "n_scaled",
      CASE WHEN m.coverage > 0 THEN CAST(r."s" AS DOUBLE) / m.coverage END AS "s_scaled",
      CASE WHEN m."n_low" IS NOT NULL THEN least(CAST(r."n" AS DOUBLE) * m."n_low", CAST(r."n" AS DOUBLE) * m."n_high") END AS "n_low",
      CASE WHEN m."n_low" IS NOT NULL THEN greatest(CAST(r."n" AS DOUBLE) * m."n_low", CAST(r."n" AS DOUBLE) * m."n_high") END AS "n_high",
      CASE WHEN m."s_low" IS NOT NULL THEN least(CAST(r."s" AS DOUBLE) * m."s_low", CAST(r."s" AS DOUBLE) * m."s_high") END AS "s_low",
      CASE WHEN m."s_low" IS NOT NULL THEN greatest(CAST(r."s" AS DOUBLE) * m."s_low", CAST(r."s" AS DOUBLE) * m."s_high") END AS "s_high",
      CASE WHEN m."top_low" IS NOT NULL THEN least(CAST(r."top" AS DOUBLE) * m."top_low", CAST(r."top" AS DOUBLE) * m."top_high") END AS "top_low",
      CASE WHEN m."top_low" IS NOT NULL THEN greatest(CAST(r."top" AS DOUBLE) * m."top_low", CAST(r."top" AS DOUBLE) * m."top_high") END AS "top_high",
      r.__start,
      m.__age,
      m.__keep,
      m.__ask
    FROM opened AS r
    JOIN marks AS m
    ON r.__start = m.__start)
  WHERE CASE __ask WHEN 0 THEN (TRUE) WHEN 1 THEN ((("n" > CAST(3 AS BIGINT)) AND (NOT ("k" IS NULL)))) END

-- windows: estimates of two levels
SELECT *
  FROM (SELECT make_timestamptz(r.__start) AS window_start,
      make_timestamptz(r.__end) AS window_end,
      r."odd",
      r."rows",
      r."best",
      r."groups",
      'estimate' AS kind,
      m.revision,
      m.coverage,
      r.__start < $origin::BIGINT AS boundary,
      make_timestamptz($emitted_at::BIGINT) AS emitted_at,
      r.__rows AS tuples,
      m.prod,
      CASE WHEN m."rows_low" IS NOT NULL THEN least(CAST(r."rows" AS DOUBLE) * m."rows_low", CAST(r."rows" AS DOUBLE) * m."rows_high") END AS "rows_low",
      CASE WHEN m."rows_low" IS NOT NULL THEN greatest(CAST(r."rows" AS DOUBLE) * m."rows_low", CAST(r."rows" AS DOUBLE) * m."rows_high") END AS "rows_high",
      CASE WHEN m."best_low" IS NOT NULL THEN least(CAST(r."best" AS DOUBLE) * m."best_low", CAST(r."best" AS DOUBLE) * m."best_high") END AS "best_low",
      CASE WHEN m."best_low" IS NOT NULL THEN greatest(CAST(r."best" AS DOUBLE) * m."best_low", CAST(r."best" AS DOUBLE) * m."best_high") END AS "best_high",
      CASE WHEN m."groups_low" IS NOT NULL THEN least(CAST(r."groups" AS DOUBLE) * m."groups_low", CAST(r."groups" AS DOUBLE) * m."groups_high") END AS "groups_low",
      CASE WHEN m."groups_low" IS NOT NULL THEN greatest(CAST(r."groups" AS DOUBLE) * m."groups_low", CAST(r."groups" AS DOUBLE) * m."groups_high") END AS "groups_high",
      r.__start,
      m.__age,
      m.__keep,
      m.__ask
    FROM opened AS r
    JOIN marks AS m
    ON r.__start = m.__start)

-- windows: estimates of two levels, revised
SELECT *
  FROM (SELECT make_timestamptz(r.__start) AS window_start,
      make_timestamptz(r.__end) AS window_end,
      r."odd",
      r."rows",
      r."best",
      r."groups",
      'estimate' AS kind,
      m.revision,
      m.coverage,
      r.__start < $origin::BIGINT AS boundary,
      make_timestamptz($emitted_at::BIGINT) AS emitted_at,
      r.__rows AS tuples,
      m.prod,
      CASE WHEN m."rows_low" IS NOT NULL THEN least(CAST(r."rows" AS DOUBLE) * m."rows_low", CAST(r."rows" AS DOUBLE) * m."rows_high") END AS "rows_low",
      CASE WHEN m."rows_low" IS NOT NULL THEN greatest(CAST(r."rows" AS DOUBLE) * m."rows_low", CAST(r."rows" AS DOUBLE) * m."rows_high") END AS "rows_high",
      CASE WHEN m."best_low" IS NOT NULL THEN least(CAST(r."best" AS DOUBLE) * m."best_low", CAST(r."best" AS DOUBLE) * m."best_high") END AS "best_low",
      CASE WHEN m."best_low" IS NOT NULL THEN greatest(CAST(r."best" AS DOUBLE) * m."best_low", CAST(r."best" AS DOUBLE) * m."best_high") END AS "best_high",
      CASE WHEN m."groups_low" IS NOT NULL THEN least(CAST(r."groups" AS DOUBLE) * m."groups_low", CAST(r."groups" AS DOUBLE) * m."groups_high") END AS "groups_low",
      CASE WHEN m."groups_low" IS NOT NULL THEN greatest(CAST(r."groups" AS DOUBLE) * m."groups_low", CAST(r."groups" AS DOUBLE) * m."groups_high") END AS "groups_high",
      r.__start,
      m.__age,
      m.__keep,
      m.__ask
    FROM opened AS r
    JOIN marks AS m
    ON r.__start = m.__start)

-- windows: costly
SELECT *
  FROM (SELECT make_timestamptz(r.__start) AS window_start,
      make_timestamptz(r.__end) AS window_end,
      r."k",
      r."n",
      r."s",
      'estimate' AS kind,
      m.revision,
      m.coverage,
      r.__start < $origin::BIGINT AS boundary,
      make_timestamptz($emitted_at::BIGINT) AS emitted_at,
      r.__rows AS tuples,
      m.prod,
      CASE WHEN m.coverage > 0 THEN CAST(r."n" AS DOUBLE) / m.coverage END AS "n_scaled",
      CASE WHEN m.coverage > 0 THEN CAST(r."s" AS DOUBLE) / m.coverage END AS "s_scaled",
      CASE WHEN m."n_low" IS NOT NULL THEN least(CAST(r."n" AS DOUBLE) * m."n_low", CAST(r."n" AS DOUBLE) * m."n_high") END AS "n_low",
      CASE WHEN m."n_low" IS NOT NULL THEN greatest(CAST(r."n" AS DOUBLE) * m."n_low", CAST(r."n" AS DOUBLE) * m."n_high") END AS "n_high",
      CASE WHEN m."s_low" IS NOT NULL THEN least(CAST(r."s" AS DOUBLE) * m."s_low", CAST(r."s" AS DOUBLE) * m."s_high") END AS "s_low",
      CASE WHEN m."s_low" IS NOT NULL THEN greatest(CAST(r."s" AS DOUBLE) * m."s_low", CAST(r."s" AS DOUBLE) * m."s_high") END AS "s_high",
      r.__start,
      m.__age,
      m.__keep,
      m.__ask
    FROM opened AS r
    JOIN marks AS m
    ON r.__start = m.__start)

-- windows: related
SELECT *
  FROM (SELECT make_timestamptz(r.__start) AS window_start,
      make_timestamptz(r.__end) AS window_end,
      r."k",
      r."n",
      'estimate' AS kind,
      m.revision,
      m.coverage,
      r.__start < $origin::BIGINT AS boundary,
      make_timestamptz($emitted_at::BIGINT) AS emitted_at,
      r.__rows AS tuples,
      m.prod,
      CASE WHEN m."n_low" IS NOT NULL THEN least(CAST(r."n" AS DOUBLE) * m."n_low", CAST(r."n" AS DOUBLE) * m."n_high") END AS "n_low",
      CASE WHEN m."n_low" IS NOT NULL THEN greatest(CAST(r."n" AS DOUBLE) * m."n_low", CAST(r."n" AS DOUBLE) * m."n_high") END AS "n_high",
      r.__start,
      m.__age,
      m.__keep,
      m.__ask
    FROM opened AS r
    JOIN marks AS m
    ON r.__start = m.__start)

-- join: aggregate above, estimated
SELECT *
  FROM (SELECT make_timestamptz(r.__start) AS window_start,
      make_timestamptz(r.__end) AS window_end,
      r."k",
      r."n",
      r."mean",
      'estimate' AS kind,
      m.revision,
      m.coverage,
      r.__start < $origin::BIGINT AS boundary,
      make_timestamptz($emitted_at::BIGINT) AS emitted_at,
      r.__rows AS tuples,
      m.prod,
      CASE WHEN m.coverage > 0 THEN CAST(r."n" AS DOUBLE) / m.coverage END AS "n_scaled",
      CASE WHEN m."n_low" IS NOT NULL THEN least(CAST(r."n" AS DOUBLE) * m."n_low", CAST(r."n" AS DOUBLE) * m."n_high") END AS "n_low",
      CASE WHEN m."n_low" IS NOT NULL THEN greatest(CAST(r."n" AS DOUBLE) * m."n_low", CAST(r."n" AS DOUBLE) * m."n_high") END AS "n_high",
      CASE WHEN m."mean_low" IS NOT NULL THEN least(CAST(r."mean" AS DOUBLE) * m."mean_low", CAST(r."mean" AS DOUBLE) * m."mean_high") END AS "mean_low",
      CASE WHEN m."mean_low" IS NOT NULL THEN greatest(CAST(r."mean" AS DOUBLE) * m."mean_low", CAST(r."mean" AS DOUBLE) * m."mean_high") END AS "mean_high",
      r.__start,
      m.__age,
      m.__keep,
      m.__ask
    FROM opened AS r
    JOIN marks AS m
    ON r.__start = m.__start)
