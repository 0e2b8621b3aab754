-- windows: composite
SELECT DISTINCT "__start",
    "next",
    "site"
  FROM (SELECT *
    FROM (SELECT *,
        pane AS __start
      FROM (SELECT *
        FROM delta))
    WHERE __start + 10000000 > pane AND __start + 10000000 <= $after::BIGINT AND __start + 10000000 > $horizon::BIGINT)

-- windows: odd names
SELECT DISTINCT "__start",
    "the ""k""",
    "It's"
  FROM (SELECT *
    FROM (SELECT p.*,
        pane - (((pane - 0) % 5000000 + 5000000) % 5000000) - o.i * 5000000 AS __start
      FROM (SELECT *
        FROM delta) AS p
      CROSS JOIN range(0, 2) AS o(i))
    WHERE __start + 10000000 > pane AND __start + 10000000 <= $after::BIGINT AND __start + 10000000 > $horizon::BIGINT)

-- windows: odd names, level 2
SELECT DISTINCT "__start",
    "It's"
  FROM (SELECT *
    FROM (SELECT *,
        pane AS __start
      FROM (SELECT *
        FROM delta))
    WHERE __start + 20000000 > pane AND __start + 20000000 <= $after::BIGINT AND __start + 20000000 > $horizon::BIGINT)

-- windows: revised
SELECT DISTINCT "__start",
    "k"
  FROM (SELECT *
    FROM (SELECT p.*,
        pane - (((pane - 0) % 5000000 + 5000000) % 5000000) - o.i * 5000000 AS __start
      FROM (SELECT *
        FROM delta) AS p
      CROSS JOIN range(0, 2) AS o(i))
    WHERE __start + 10000000 > pane AND __start + 10000000 <= $after::BIGINT AND __start + 10000000 > $horizon::BIGINT)

-- windows: two levels, filtered and revised
SELECT DISTINCT "__start",
    "k"
  FROM (SELECT *
    FROM (SELECT p.*,
        pane - (((pane - 0) % 5000000 + 5000000) % 5000000) - o.i * 5000000 AS __start
      FROM (SELECT *
        FROM delta) AS p
      CROSS JOIN range(0, 2) AS o(i))
    WHERE __start + 10000000 > pane AND __start + 10000000 <= $after::BIGINT AND __start + 10000000 > $horizon::BIGINT)

-- windows: two levels, filtered and revised, level 2
SELECT DISTINCT "__start",
    "odd"
  FROM (SELECT *
    FROM (SELECT *,
        pane AS __start
      FROM (SELECT *
        FROM delta))
    WHERE __start + 60000000 > pane AND __start + 60000000 <= $after::BIGINT AND __start + 60000000 > $horizon::BIGINT)

-- windows: three levels, revised
SELECT DISTINCT "__start",
    "k"
  FROM (SELECT *
    FROM (SELECT p.*,
        pane - (((pane - 0) % 5000000 + 5000000) % 5000000) - o.i * 5000000 AS __start
      FROM (SELECT *
        FROM delta) AS p
      CROSS JOIN range(0, 2) AS o(i))
    WHERE __start + 10000000 > pane AND __start + 10000000 <= $after::BIGINT AND __start + 10000000 > $horizon::BIGINT)

-- windows: three levels, revised, level 2
SELECT DISTINCT "__start",
    "odd"
  FROM (SELECT *
    FROM (SELECT *,
        pane AS __start
      FROM (SELECT *
        FROM delta))
    WHERE __start + 60000000 > pane AND __start + 60000000 <= $after::BIGINT AND __start + 60000000 > $horizon::BIGINT)

-- windows: three levels, revised, level 3
SELECT DISTINCT "__start"
  FROM (SELECT *
    FROM (SELECT *,
        pane AS __start
      FROM (SELECT *
        FROM delta))
    WHERE __start + 120000000 > pane AND __start + 120000000 <= $after::BIGINT AND __start + 120000000 > $horizon::BIGINT)

-- windows: estimates of two levels, revised
SELECT DISTINCT "__start",
    "k"
  FROM (SELECT *
    FROM (SELECT p.*,
        pane - (((pane - 0) % 5000000 + 5000000) % 5000000) - o.i * 5000000 AS __start
      FROM (SELECT *
        FROM delta) AS p
      CROSS JOIN range(0, 2) AS o(i))
    WHERE __start + 10000000 > pane AND __start + 10000000 <= $after::BIGINT AND __start + 10000000 > $horizon::BIGINT)

-- windows: estimates of two levels, revised, level 2
SELECT DISTINCT "__start",
    "odd"
  FROM (SELECT *
    FROM (SELECT *,
        pane AS __start
      FROM (SELECT *
        FROM delta))
    WHERE __start + 60000000 > pane AND __start + 60000000 <= $after::BIGINT AND __start + 60000000 > $horizon::BIGINT)

-- windows: exact
SELECT DISTINCT "__start",
    "k"
  FROM (SELECT *
    FROM (SELECT p.*,
        pane - (((pane - 0) % 1000000 + 1000000) % 1000000) - o.i * 1000000 AS __start
      FROM (SELECT *
        FROM delta) AS p
      CROSS JOIN range(0, 10) AS o(i))
    WHERE __start + 10000000 > pane AND __start + 10000000 <= $after::BIGINT AND __start + 10000000 > $horizon::BIGINT)

-- windows: related
SELECT DISTINCT "__start",
    "k"
  FROM (SELECT *
    FROM (SELECT p.*,
        pane - (((pane - 0) % 5000000 + 5000000) % 5000000) - o.i * 5000000 AS __start
      FROM (SELECT *
        FROM delta) AS p
      CROSS JOIN range(0, 2) AS o(i))
    WHERE __start + 10000000 > pane AND __start + 10000000 <= $after::BIGINT AND __start + 10000000 > $horizon::BIGINT)

-- join: aggregate above
SELECT DISTINCT "__start",
    "k"
  FROM (SELECT *
    FROM (SELECT p.*,
        pane - (((pane - 0) % 5000000 + 5000000) % 5000000) - o.i * 5000000 AS __start
      FROM (SELECT *
        FROM delta) AS p
      CROSS JOIN range(0, 2) AS o(i))
    WHERE __start + 10000000 > pane AND __start + 10000000 <= $after::BIGINT AND __start + 10000000 > $horizon::BIGINT)

-- join: aggregate above, grouped
SELECT DISTINCT "__start",
    "site"
  FROM (SELECT *
    FROM (SELECT p.*,
        pane - (((pane - 0) % 5000000 + 5000000) % 5000000) - o.i * 5000000 AS __start
      FROM (SELECT *
        FROM delta) AS p
      CROSS JOIN range(0, 2) AS o(i))
    WHERE __start + 10000000 > pane AND __start + 10000000 <= $after::BIGINT AND __start + 10000000 > $horizon::BIGINT)
