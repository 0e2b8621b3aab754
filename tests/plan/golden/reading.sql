-- windows: odd names, open-1
SELECT __start,
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
          WHERE pane > $after::BIGINT - 10000000) AS p
        CROSS JOIN range(0, 2) AS o(i))
      WHERE __start + 10000000 > pane AND __start + 10000000 > $after::BIGINT AND __start <= $last::BIGINT)
    GROUP BY __start,
      "the ""k""",
      "It's")

-- windows: odd names, newest-2
SELECT *
  FROM (SELECT *,
      row_number() OVER (PARTITION BY "__start", "the ""k""", "It's"
      ORDER BY abs(revision) DESC) AS __rank
    FROM rows)
  WHERE __rank = 1 AND revision >= 0

-- windows: odd names, panes-2
SELECT __ts - (((__ts - 0) % 20000000 + 20000000) % 20000000) AS pane,
    "It's" AS "It's",
    sum("S""um") AS "sum_36d04e8b",
    count(*) AS __rows
  FROM (SELECT *,
      __end - 1 AS __ts,
      make_timestamptz(__start) AS window_start,
      make_timestamptz(__end) AS window_end
    FROM input)
  WHERE ("How many" > CAST(1 AS BIGINT))
  GROUP BY 1,
    2

-- windows: odd names, open-2
SELECT __start,
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
          WHERE pane > $after::BIGINT - 20000000))
      WHERE __start + 20000000 > pane AND __start + 20000000 > $after::BIGINT AND __start <= $last::BIGINT)
    GROUP BY __start,
      "It's")

-- windows: estimates, open-1
SELECT __start,
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
          WHERE pane > $after::BIGINT - 10000000))
      WHERE __start + 10000000 > pane AND __start + 10000000 > $after::BIGINT AND __start <= $last::BIGINT)
    GROUP BY __start,
      "k")

-- windows: estimates of two levels, open-1
SELECT __start,
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
          WHERE pane > $after::BIGINT - 10000000) AS p
        CROSS JOIN range(0, 2) AS o(i))
      WHERE __start + 10000000 > pane AND __start + 10000000 > $after::BIGINT AND __start <= $last::BIGINT)
    GROUP BY __start,
      "k")

-- windows: estimates of two levels, panes-2
SELECT __ts - (((__ts - 0) % 60000000 + 60000000) % 60000000) AS pane,
    CAST((CAST("k" AS HUGEINT) % nullif(CAST(CAST(2 AS BIGINT) AS HUGEINT), 0)) AS BIGINT) AS "odd",
    sw_long(sum("n")) AS "sum_67347bc1",
    max("top") AS "max_fcb17c2b",
    count(*) AS "count_64d3797e",
    count(*) AS __rows
  FROM (SELECT *,
      __end - 1 AS __ts,
      make_timestamptz(__start) AS window_start,
      make_timestamptz(__end) AS window_end
    FROM input)
  WHERE (("n" > CAST(1 AS BIGINT)) AND (NOT ("top" IS NULL)))
  GROUP BY 1,
    2

-- windows: estimates of two levels, open-2
SELECT __start,
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
          WHERE pane > $after::BIGINT - 60000000))
      WHERE __start + 60000000 > pane AND __start + 60000000 > $after::BIGINT AND __start <= $last::BIGINT)
    GROUP BY __start,
      "odd")

-- windows: estimates of two levels, revised, open-1
SELECT __start,
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
          WHERE pane > $after::BIGINT - 10000000) AS p
        CROSS JOIN range(0, 2) AS o(i))
      WHERE __start + 10000000 > pane AND __start + 10000000 > $after::BIGINT AND __start <= $last::BIGINT)
    GROUP BY __start,
      "k")

-- windows: estimates of two levels, revised, newest-2
SELECT *
  FROM (SELECT *,
      row_number() OVER (PARTITION BY "__start", "k"
      ORDER BY abs(revision) DESC) AS __rank
    FROM rows)
  WHERE __rank = 1 AND revision >= 0

-- windows: estimates of two levels, revised, panes-2
SELECT __ts - (((__ts - 0) % 60000000 + 60000000) % 60000000) AS pane,
    CAST((CAST("k" AS HUGEINT) % nullif(CAST(CAST(2 AS BIGINT) AS HUGEINT), 0)) AS BIGINT) AS "odd",
    sw_long(sum("n")) AS "sum_67347bc1",
    max("top") AS "max_fcb17c2b",
    count(*) AS "count_64d3797e",
    count(*) AS __rows
  FROM (SELECT *,
      __end - 1 AS __ts,
      make_timestamptz(__start) AS window_start,
      make_timestamptz(__end) AS window_end
    FROM input)
  WHERE (("n" > CAST(1 AS BIGINT)) AND (NOT ("top" IS NULL)))
  GROUP BY 1,
    2

-- windows: estimates of two levels, revised, open-2
SELECT __start,
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
          WHERE pane > $after::BIGINT - 60000000))
      WHERE __start + 60000000 > pane AND __start + 60000000 > $after::BIGINT AND __start <= $last::BIGINT)
    GROUP BY __start,
      "odd")

-- windows: costly, open-1
SELECT __start,
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
          WHERE pane > $after::BIGINT - 10000000))
      WHERE __start + 10000000 > pane AND __start + 10000000 > $after::BIGINT AND __start <= $last::BIGINT)
    GROUP BY __start,
      "k")

-- windows: related, open-1
WITH __source AS MATERIALIZED (SELECT *
    FROM (SELECT p.*,
        pane - (((pane - 0) % 5000000 + 5000000) % 5000000) - o.i * 5000000 AS __start
      FROM (SELECT *
        FROM panes
        WHERE pane > $after::BIGINT - 10000000) AS p
      CROSS JOIN range(0, 2) AS o(i))
    WHERE __start + 10000000 > pane AND __start + 10000000 > $after::BIGINT AND __start <= $last::BIGINT), __groups AS MATERIALIZED (SELECT *,
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
          WHERE __members.__g = __groups.__g) AS "window"))) AS __answer

-- join: aggregate above, estimated, open-1
SELECT __start,
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
          WHERE pane > $after::BIGINT - 10000000) AS p
        CROSS JOIN range(0, 2) AS o(i))
      WHERE __start + 10000000 > pane AND __start + 10000000 > $after::BIGINT AND __start <= $last::BIGINT)
    GROUP BY __start,
      "k")
