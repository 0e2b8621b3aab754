-- windows: wall clock, level 2
SELECT __ts - (((__ts - 0) % 60000000 + 60000000) % 60000000) AS pane,
    CAST(hour("window_start") AS INTEGER) AS "hour",
    sw_long(sum("n")) AS "sum_67347bc1",
    count(*) AS __rows
  FROM (SELECT *,
      __end - 1 AS __ts,
      make_timestamp(__start) AS window_start,
      make_timestamp(__end) AS window_end
    FROM input) 
  GROUP BY 1,
    2

-- windows: odd names, level 2
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

-- windows: two levels, level 2
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
  GROUP BY 1,
    2

-- windows: two levels, filtered and revised, level 2
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

-- windows: three levels, revised, level 2
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

-- windows: three levels, revised, level 3
SELECT __ts - (((__ts - 0) % 120000000 + 120000000) % 120000000) AS pane,
    max("rows") AS "max_1a4e169f",
    count(*) AS __rows
  FROM (SELECT *,
      __end - 1 AS __ts,
      make_timestamptz(__start) AS window_start,
      make_timestamptz(__end) AS window_end
    FROM input) 
  GROUP BY 1

-- windows: estimates of two levels, level 2
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

-- windows: estimates of two levels, revised, level 2
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

-- join: aggregate above
SELECT __ts - (((__ts - 0) % 5000000 + 5000000) % 5000000) AS pane,
    "a_k" AS "k",
    count(*) AS "count_64d3797e",
    sum("c_v") AS "dsum_b056ae31",
    count("c_v") AS "count_7870ce64",
    count(*) AS __rows
  FROM (SELECT *
    FROM input) 
  GROUP BY 1,
    2

-- join: aggregate above, estimated
SELECT __ts - (((__ts - 0) % 5000000 + 5000000) % 5000000) AS pane,
    "a_k" AS "k",
    count(*) AS "count_64d3797e",
    sum("c_v") AS "dsum_b056ae31",
    count("c_v") AS "count_7870ce64",
    count(*) AS __rows
  FROM (SELECT *
    FROM input) 
  GROUP BY 1,
    2
