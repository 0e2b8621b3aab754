-- join: two
SELECT "a_ts" AS "a_ts",
    "a_k" AS "a_k",
    "a_v" AS "a_v",
    "b_ts" AS "b_ts",
    "b_k" AS "b_k",
    "b_v" AS "b_v",
    make_timestamptz(__ts) AS event_time,
    CASE WHEN __given THEN 'final' ELSE 'revision' END AS kind,
    CAST(CASE WHEN __given THEN 0 ELSE 1 END AS INT) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM (SELECT *
    FROM (SELECT "__t_a",
        "__t_b",
        "a_ts",
        "a_k",
        "a_v",
        "b_ts",
        "b_k",
        "b_v",
        __ts,
        ("__t_a" >= $live0::BIGINT AND "__t_b" >= $live1::BIGINT) AS __given
      FROM (SELECT *,
          greatest("__t_a", "__t_b") AS __ts
        FROM ((SELECT "__t_a",
              "__t_b",
              "a_ts",
              "a_k",
              "a_v",
              "b_ts",
              "b_k",
              "b_v"
            FROM (SELECT pane AS "__t_a",
                "a_ts",
                "a_k",
                "a_v"
              FROM f0) AS l
            JOIN (SELECT pane AS "__t_b",
                "b_ts",
                "b_k",
                "b_v"
              FROM h1) AS r
            ON l."a_k" = r."b_k" AND l."__t_a" <= r."__t_b" + 5000000 AND r."__t_b" <= l."__t_a" + 5000000)
          UNION ALL (SELECT "__t_a",
              "__t_b",
              "a_ts",
              "a_k",
              "a_v",
              "b_ts",
              "b_k",
              "b_v"
            FROM (SELECT pane AS "__t_b",
                "b_ts",
                "b_k",
                "b_v"
              FROM f1) AS l
            JOIN (SELECT pane AS "__t_a",
                "a_ts",
                "a_k",
                "a_v"
              FROM h0
              UNION ALL SELECT pane AS "__t_a",
                "a_ts",
                "a_k",
                "a_v"
              FROM f0) AS r
            ON l."b_k" = r."a_k" AND l."__t_b" <= r."__t_a" + 5000000 AND r."__t_a" <= l."__t_b" + 5000000))))
    WHERE __given)

-- join: two, one child
SELECT "a_ts" AS "a_ts",
    "a_k" AS "a_k",
    "a_v" AS "a_v",
    "b_ts" AS "b_ts",
    "b_k" AS "b_k",
    "b_v" AS "b_v",
    make_timestamptz(__ts) AS event_time,
    CASE WHEN __given THEN 'final' ELSE 'revision' END AS kind,
    CAST(CASE WHEN __given THEN 0 ELSE 1 END AS INT) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM (SELECT *
    FROM (SELECT "__t_a",
        "__t_b",
        "a_ts",
        "a_k",
        "a_v",
        "b_ts",
        "b_k",
        "b_v",
        __ts,
        ("__t_a" >= $live0::BIGINT AND "__t_b" >= $live1::BIGINT) AS __given
      FROM (SELECT *,
          greatest("__t_a", "__t_b") AS __ts
        FROM ((SELECT "__t_a",
              "__t_b",
              "a_ts",
              "a_k",
              "a_v",
              "b_ts",
              "b_k",
              "b_v"
            FROM (SELECT pane AS "__t_b",
                "b_ts",
                "b_k",
                "b_v"
              FROM f1) AS l
            JOIN (SELECT pane AS "__t_a",
                "a_ts",
                "a_k",
                "a_v"
              FROM h0
              UNION ALL SELECT pane AS "__t_a",
                "a_ts",
                "a_k",
                "a_v"
              FROM f0) AS r
            ON l."b_k" = r."a_k" AND l."__t_b" <= r."__t_a" + 5000000 AND r."__t_a" <= l."__t_b" + 5000000))))
    WHERE __given)

-- join: two, selected
SELECT "a_k" AS "k",
    ("a_v" + "b_v") AS "both",
    make_timestamptz(__ts) AS event_time,
    CASE WHEN __given THEN 'final' ELSE 'revision' END AS kind,
    CAST(CASE WHEN __given THEN 0 ELSE 1 END AS INT) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM (SELECT *
    FROM (SELECT "__t_a",
        "__t_b",
        "a_k",
        "a_v",
        "b_v",
        __ts,
        ("__t_a" >= $live0::BIGINT AND "__t_b" >= $live1::BIGINT) AS __given
      FROM (SELECT *,
          greatest("__t_a", "__t_b") AS __ts
        FROM ((SELECT "__t_a",
              "__t_b",
              "a_k",
              "a_v",
              "b_v"
            FROM (SELECT pane AS "__t_a",
                "a_k",
                "a_v"
              FROM f0) AS l
            JOIN (SELECT pane AS "__t_b",
                "b_k",
                "b_v"
              FROM h1) AS r
            ON l."a_k" = r."b_k" AND l."__t_a" <= r."__t_b" + 5000000 AND r."__t_b" <= l."__t_a" + 5000000 AND (("a_v" < "b_v")))
          UNION ALL (SELECT "__t_a",
              "__t_b",
              "a_k",
              "a_v",
              "b_v"
            FROM (SELECT pane AS "__t_b",
                "b_k",
                "b_v"
              FROM f1) AS l
            JOIN (SELECT pane AS "__t_a",
                "a_k",
                "a_v"
              FROM h0
              UNION ALL SELECT pane AS "__t_a",
                "a_k",
                "a_v"
              FROM f0) AS r
            ON l."b_k" = r."a_k" AND l."__t_b" <= r."__t_a" + 5000000 AND r."__t_a" <= l."__t_b" + 5000000 AND (("a_v" < "b_v"))))))
    WHERE __given)

-- join: two, selected, one child
SELECT "a_k" AS "k",
    ("a_v" + "b_v") AS "both",
    make_timestamptz(__ts) AS event_time,
    CASE WHEN __given THEN 'final' ELSE 'revision' END AS kind,
    CAST(CASE WHEN __given THEN 0 ELSE 1 END AS INT) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM (SELECT *
    FROM (SELECT "__t_a",
        "__t_b",
        "a_k",
        "a_v",
        "b_v",
        __ts,
        ("__t_a" >= $live0::BIGINT AND "__t_b" >= $live1::BIGINT) AS __given
      FROM (SELECT *,
          greatest("__t_a", "__t_b") AS __ts
        FROM ((SELECT "__t_a",
              "__t_b",
              "a_k",
              "a_v",
              "b_v"
            FROM (SELECT pane AS "__t_b",
                "b_k",
                "b_v"
              FROM f1) AS l
            JOIN (SELECT pane AS "__t_a",
                "a_k",
                "a_v"
              FROM h0
              UNION ALL SELECT pane AS "__t_a",
                "a_k",
                "a_v"
              FROM f0) AS r
            ON l."b_k" = r."a_k" AND l."__t_b" <= r."__t_a" + 5000000 AND r."__t_a" <= l."__t_b" + 5000000 AND (("a_v" < "b_v"))))))
    WHERE __given)

-- join: ordered
SELECT "a_k" AS "k",
    ("a_v" + "b_v") AS "both",
    make_timestamptz(__ts) AS event_time,
    CASE WHEN __given THEN 'final' ELSE 'revision' END AS kind,
    CAST(CASE WHEN __given THEN 0 ELSE 1 END AS INT) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM (SELECT *
    FROM (SELECT "__t_a",
        "__t_b",
        "a_k",
        "a_v",
        "b_v",
        __ts,
        __ts >= $after::BIGINT AS __given
      FROM (SELECT *,
          greatest("__t_a", "__t_b") AS __ts
        FROM ((SELECT "__t_a",
              "__t_b",
              "a_k",
              "a_v",
              "b_v"
            FROM (SELECT pane AS "__t_a",
                "a_k",
                "a_v"
              FROM h0
              WHERE pane >= $after::BIGINT AND pane < $upto::BIGINT
              UNION ALL SELECT pane AS "__t_a",
                "a_k",
                "a_v"
              FROM f0
              WHERE pane < $upto::BIGINT) AS l
            JOIN (SELECT pane AS "__t_b",
                "b_k",
                "b_v"
              FROM h1
              WHERE pane < $after::BIGINT) AS r
            ON l."a_k" = r."b_k" AND l."__t_a" <= r."__t_b" + 5000000 AND r."__t_b" <= l."__t_a" + 5000000)
          UNION ALL (SELECT "__t_a",
              "__t_b",
              "a_k",
              "a_v",
              "b_v"
            FROM (SELECT pane AS "__t_b",
                "b_k",
                "b_v"
              FROM h1
              WHERE pane >= $after::BIGINT AND pane < $upto::BIGINT
              UNION ALL SELECT pane AS "__t_b",
                "b_k",
                "b_v"
              FROM f1
              WHERE pane < $upto::BIGINT) AS l
            JOIN (SELECT pane AS "__t_a",
                "a_k",
                "a_v"
              FROM h0
              WHERE pane < $after::BIGINT
              UNION ALL SELECT pane AS "__t_a",
                "a_k",
                "a_v"
              FROM h0
              WHERE pane >= $after::BIGINT AND pane < $upto::BIGINT
              UNION ALL SELECT pane AS "__t_a",
                "a_k",
                "a_v"
              FROM f0
              WHERE pane < $upto::BIGINT) AS r
            ON l."b_k" = r."a_k" AND l."__t_b" <= r."__t_a" + 5000000 AND r."__t_a" <= l."__t_b" + 5000000))))
    WHERE __given)
  ORDER BY event_time

-- join: ordered, one child
SELECT "a_k" AS "k",
    ("a_v" + "b_v") AS "both",
    make_timestamptz(__ts) AS event_time,
    CASE WHEN __given THEN 'final' ELSE 'revision' END AS kind,
    CAST(CASE WHEN __given THEN 0 ELSE 1 END AS INT) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM (SELECT *
    FROM (SELECT "__t_a",
        "__t_b",
        "a_k",
        "a_v",
        "b_v",
        __ts,
        __ts >= $after::BIGINT AS __given
      FROM (SELECT *,
          greatest("__t_a", "__t_b") AS __ts
        FROM ((SELECT "__t_a",
              "__t_b",
              "a_k",
              "a_v",
              "b_v"
            FROM (SELECT pane AS "__t_b",
                "b_k",
                "b_v"
              FROM h1
              WHERE pane >= $after::BIGINT AND pane < $upto::BIGINT
              UNION ALL SELECT pane AS "__t_b",
                "b_k",
                "b_v"
              FROM f1
              WHERE pane < $upto::BIGINT) AS l
            JOIN (SELECT pane AS "__t_a",
                "a_k",
                "a_v"
              FROM h0
              WHERE pane < $after::BIGINT
              UNION ALL SELECT pane AS "__t_a",
                "a_k",
                "a_v"
              FROM h0
              WHERE pane >= $after::BIGINT AND pane < $upto::BIGINT
              UNION ALL SELECT pane AS "__t_a",
                "a_k",
                "a_v"
              FROM f0
              WHERE pane < $upto::BIGINT) AS r
            ON l."b_k" = r."a_k" AND l."__t_b" <= r."__t_a" + 5000000 AND r."__t_a" <= l."__t_b" + 5000000))))
    WHERE __given)
  ORDER BY event_time

-- join: three, windows of each
SELECT "a_ts" AS "a_ts",
    "a_k" AS "a_k",
    "a_v" AS "a_v",
    "b_ts" AS "b_ts",
    "b_k" AS "b_k",
    "b_v" AS "b_v",
    "c_ts" AS "c_ts",
    "c_k" AS "c_k",
    "c_v" AS "c_v",
    make_timestamptz(__ts) AS event_time,
    CASE WHEN __given THEN 'final' ELSE 'revision' END AS kind,
    CAST(CASE WHEN __given THEN 0 ELSE 1 END AS INT) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM (SELECT *
    FROM (SELECT "__t_a",
        "__t_b",
        "__t_c",
        "a_ts",
        "a_k",
        "a_v",
        "b_ts",
        "b_k",
        "b_v",
        "c_ts",
        "c_k",
        "c_v",
        __ts,
        ("__t_a" >= $live0::BIGINT AND "__t_b" >= $live1::BIGINT AND "__t_c" >= $live2::BIGINT) AS __given
      FROM (SELECT *,
          greatest("__t_a", "__t_b", "__t_c") AS __ts
        FROM ((SELECT "__t_a",
              "__t_b",
              "__t_c",
              "a_ts",
              "a_k",
              "a_v",
              "b_ts",
              "b_k",
              "b_v",
              "c_ts",
              "c_k",
              "c_v"
            FROM (SELECT "__t_a",
                "__t_b",
                "a_ts",
                "a_k",
                "a_v",
                "b_ts",
                "b_k",
                "b_v"
              FROM (SELECT pane AS "__t_a",
                  "a_ts",
                  "a_k",
                  "a_v"
                FROM f0) AS l
              JOIN (SELECT pane AS "__t_b",
                  "b_ts",
                  "b_k",
                  "b_v"
                FROM h1) AS r
              ON l."a_k" = r."b_k" AND l."__t_a" <= r."__t_b" + 2000000 AND r."__t_b" <= l."__t_a" + 3000000) AS l
            JOIN (SELECT pane AS "__t_c",
                "c_ts",
                "c_k",
                "c_v"
              FROM h2) AS r
            ON l."a_k" = r."c_k" AND l."__t_a" <= r."__t_c" + 4000000 AND r."__t_c" <= l."__t_a" + 3000000 AND l."__t_b" <= r."__t_c" + 4000000 AND r."__t_c" <= l."__t_b" + 2000000)
          UNION ALL (SELECT "__t_a",
              "__t_b",
              "__t_c",
              "a_ts",
              "a_k",
              "a_v",
              "b_ts",
              "b_k",
              "b_v",
              "c_ts",
              "c_k",
              "c_v"
            FROM (SELECT "__t_a",
                "__t_b",
                "a_ts",
                "a_k",
                "a_v",
                "b_ts",
                "b_k",
                "b_v"
              FROM (SELECT pane AS "__t_b",
                  "b_ts",
                  "b_k",
                  "b_v"
                FROM f1) AS l
              JOIN (SELECT pane AS "__t_a",
                  "a_ts",
                  "a_k",
                  "a_v"
                FROM h0
                UNION ALL SELECT pane AS "__t_a",
                  "a_ts",
                  "a_k",
                  "a_v"
                FROM f0) AS r
              ON l."b_k" = r."a_k" AND l."__t_b" <= r."__t_a" + 3000000 AND r."__t_a" <= l."__t_b" + 2000000) AS l
            JOIN (SELECT pane AS "__t_c",
                "c_ts",
                "c_k",
                "c_v"
              FROM h2) AS r
            ON l."a_k" = r."c_k" AND l."__t_a" <= r."__t_c" + 4000000 AND r."__t_c" <= l."__t_a" + 3000000 AND l."__t_b" <= r."__t_c" + 4000000 AND r."__t_c" <= l."__t_b" + 2000000)
          UNION ALL (SELECT "__t_a",
              "__t_b",
              "__t_c",
              "a_ts",
              "a_k",
              "a_v",
              "b_ts",
              "b_k",
              "b_v",
              "c_ts",
              "c_k",
              "c_v"
            FROM (SELECT "__t_a",
                "__t_c",
                "a_ts",
                "a_k",
                "a_v",
                "c_ts",
                "c_k",
                "c_v"
              FROM (SELECT pane AS "__t_c",
                  "c_ts",
                  "c_k",
                  "c_v"
                FROM f2) AS l
              JOIN (SELECT pane AS "__t_a",
                  "a_ts",
                  "a_k",
                  "a_v"
                FROM h0
                UNION ALL SELECT pane AS "__t_a",
                  "a_ts",
                  "a_k",
                  "a_v"
                FROM f0) AS r
              ON l."c_k" = r."a_k" AND l."__t_c" <= r."__t_a" + 3000000 AND r."__t_a" <= l."__t_c" + 4000000) AS l
            JOIN (SELECT pane AS "__t_b",
                "b_ts",
                "b_k",
                "b_v"
              FROM h1
              UNION ALL SELECT pane AS "__t_b",
                "b_ts",
                "b_k",
                "b_v"
              FROM f1) AS r
            ON l."a_k" = r."b_k" AND l."__t_a" <= r."__t_b" + 2000000 AND r."__t_b" <= l."__t_a" + 3000000 AND l."__t_c" <= r."__t_b" + 2000000 AND r."__t_b" <= l."__t_c" + 4000000))))
    WHERE __given)

-- join: three, windows of each, one child
SELECT "a_ts" AS "a_ts",
    "a_k" AS "a_k",
    "a_v" AS "a_v",
    "b_ts" AS "b_ts",
    "b_k" AS "b_k",
    "b_v" AS "b_v",
    "c_ts" AS "c_ts",
    "c_k" AS "c_k",
    "c_v" AS "c_v",
    make_timestamptz(__ts) AS event_time,
    CASE WHEN __given THEN 'final' ELSE 'revision' END AS kind,
    CAST(CASE WHEN __given THEN 0 ELSE 1 END AS INT) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM (SELECT *
    FROM (SELECT "__t_a",
        "__t_b",
        "__t_c",
        "a_ts",
        "a_k",
        "a_v",
        "b_ts",
        "b_k",
        "b_v",
        "c_ts",
        "c_k",
        "c_v",
        __ts,
        ("__t_a" >= $live0::BIGINT AND "__t_b" >= $live1::BIGINT AND "__t_c" >= $live2::BIGINT) AS __given
      FROM (SELECT *,
          greatest("__t_a", "__t_b", "__t_c") AS __ts
        FROM ((SELECT "__t_a",
              "__t_b",
              "__t_c",
              "a_ts",
              "a_k",
              "a_v",
              "b_ts",
              "b_k",
              "b_v",
              "c_ts",
              "c_k",
              "c_v"
            FROM (SELECT "__t_a",
                "__t_c",
                "a_ts",
                "a_k",
                "a_v",
                "c_ts",
                "c_k",
                "c_v"
              FROM (SELECT pane AS "__t_c",
                  "c_ts",
                  "c_k",
                  "c_v"
                FROM f2) AS l
              JOIN (SELECT pane AS "__t_a",
                  "a_ts",
                  "a_k",
                  "a_v"
                FROM h0
                UNION ALL SELECT pane AS "__t_a",
                  "a_ts",
                  "a_k",
                  "a_v"
                FROM f0) AS r
              ON l."c_k" = r."a_k" AND l."__t_c" <= r."__t_a" + 3000000 AND r."__t_a" <= l."__t_c" + 4000000) AS l
            JOIN (SELECT pane AS "__t_b",
                "b_ts",
                "b_k",
                "b_v"
              FROM h1
              UNION ALL SELECT pane AS "__t_b",
                "b_ts",
                "b_k",
                "b_v"
              FROM f1) AS r
            ON l."a_k" = r."b_k" AND l."__t_a" <= r."__t_b" + 2000000 AND r."__t_b" <= l."__t_a" + 3000000 AND l."__t_c" <= r."__t_b" + 2000000 AND r."__t_b" <= l."__t_c" + 4000000))))
    WHERE __given)

-- join: three, windows of pairs, no common key
SELECT "a_ts" AS "a_ts",
    "a_k" AS "a_k",
    "a_v" AS "a_v",
    "b_ts" AS "b_ts",
    "b_k" AS "b_k",
    "b_v" AS "b_v",
    "c_ts" AS "c_ts",
    "c_k" AS "c_k",
    "c_v" AS "c_v",
    make_timestamptz(__ts) AS event_time,
    CASE WHEN __given THEN 'final' ELSE 'revision' END AS kind,
    CAST(CASE WHEN __given THEN 0 ELSE 1 END AS INT) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM (SELECT *
    FROM (SELECT "__t_a",
        "__t_b",
        "__t_c",
        "a_ts",
        "a_k",
        "a_v",
        "b_ts",
        "b_k",
        "b_v",
        "c_ts",
        "c_k",
        "c_v",
        __ts,
        ("__t_a" >= $live0::BIGINT AND "__t_b" >= $live1::BIGINT AND "__t_c" >= $live2::BIGINT) AS __given
      FROM (SELECT *,
          greatest("__t_a", "__t_b", "__t_c") AS __ts
        FROM ((SELECT "__t_a",
              "__t_b",
              "__t_c",
              "a_ts",
              "a_k",
              "a_v",
              "b_ts",
              "b_k",
              "b_v",
              "c_ts",
              "c_k",
              "c_v"
            FROM (SELECT "__t_a",
                "__t_b",
                "a_ts",
                "a_k",
                "a_v",
                "b_ts",
                "b_k",
                "b_v"
              FROM (SELECT pane AS "__t_a",
                  "a_ts",
                  "a_k",
                  "a_v"
                FROM f0) AS l
              JOIN (SELECT pane AS "__t_b",
                  "b_ts",
                  "b_k",
                  "b_v"
                FROM h1) AS r
              ON l."a_k" = r."b_k" AND l."__t_a" <= r."__t_b" + 1000000 AND r."__t_b" <= l."__t_a" + 1000000) AS l
            JOIN (SELECT pane AS "__t_c",
                "c_ts",
                "c_k",
                "c_v"
              FROM h2) AS r
            ON l."__t_a" <= r."__t_c" + 3000000 AND r."__t_c" <= l."__t_a" + 3000000 AND l."__t_b" <= r."__t_c" + 2000000 AND r."__t_c" <= l."__t_b" + 2000000 AND ((abs(("b_v" - "c_v")) < CAST(2 AS DOUBLE))))
          UNION ALL (SELECT "__t_a",
              "__t_b",
              "__t_c",
              "a_ts",
              "a_k",
              "a_v",
              "b_ts",
              "b_k",
              "b_v",
              "c_ts",
              "c_k",
              "c_v"
            FROM (SELECT "__t_a",
                "__t_b",
                "a_ts",
                "a_k",
                "a_v",
                "b_ts",
                "b_k",
                "b_v"
              FROM (SELECT pane AS "__t_b",
                  "b_ts",
                  "b_k",
                  "b_v"
                FROM f1) AS l
              JOIN (SELECT pane AS "__t_a",
                  "a_ts",
                  "a_k",
                  "a_v"
                FROM h0
                UNION ALL SELECT pane AS "__t_a",
                  "a_ts",
                  "a_k",
                  "a_v"
                FROM f0) AS r
              ON l."b_k" = r."a_k" AND l."__t_b" <= r."__t_a" + 1000000 AND r."__t_a" <= l."__t_b" + 1000000) AS l
            JOIN (SELECT pane AS "__t_c",
                "c_ts",
                "c_k",
                "c_v"
              FROM h2) AS r
            ON l."__t_a" <= r."__t_c" + 3000000 AND r."__t_c" <= l."__t_a" + 3000000 AND l."__t_b" <= r."__t_c" + 2000000 AND r."__t_c" <= l."__t_b" + 2000000 AND ((abs(("b_v" - "c_v")) < CAST(2 AS DOUBLE))))
          UNION ALL (SELECT "__t_a",
              "__t_b",
              "__t_c",
              "a_ts",
              "a_k",
              "a_v",
              "b_ts",
              "b_k",
              "b_v",
              "c_ts",
              "c_k",
              "c_v"
            FROM (SELECT "__t_b",
                "__t_c",
                "b_ts",
                "b_k",
                "b_v",
                "c_ts",
                "c_k",
                "c_v"
              FROM (SELECT pane AS "__t_c",
                  "c_ts",
                  "c_k",
                  "c_v"
                FROM f2) AS l
              JOIN (SELECT pane AS "__t_b",
                  "b_ts",
                  "b_k",
                  "b_v"
                FROM h1
                UNION ALL SELECT pane AS "__t_b",
                  "b_ts",
                  "b_k",
                  "b_v"
                FROM f1) AS r
              ON l."__t_c" <= r."__t_b" + 2000000 AND r."__t_b" <= l."__t_c" + 2000000 AND ((abs(("b_v" - "c_v")) < CAST(2 AS DOUBLE)))) AS l
            JOIN (SELECT pane AS "__t_a",
                "a_ts",
                "a_k",
                "a_v"
              FROM h0
              UNION ALL SELECT pane AS "__t_a",
                "a_ts",
                "a_k",
                "a_v"
              FROM f0) AS r
            ON l."b_k" = r."a_k" AND l."__t_b" <= r."__t_a" + 1000000 AND r."__t_a" <= l."__t_b" + 1000000 AND l."__t_c" <= r."__t_a" + 3000000 AND r."__t_a" <= l."__t_c" + 3000000))))
    WHERE __given)

-- join: three, windows of pairs, no common key, one child
SELECT "a_ts" AS "a_ts",
    "a_k" AS "a_k",
    "a_v" AS "a_v",
    "b_ts" AS "b_ts",
    "b_k" AS "b_k",
    "b_v" AS "b_v",
    "c_ts" AS "c_ts",
    "c_k" AS "c_k",
    "c_v" AS "c_v",
    make_timestamptz(__ts) AS event_time,
    CASE WHEN __given THEN 'final' ELSE 'revision' END AS kind,
    CAST(CASE WHEN __given THEN 0 ELSE 1 END AS INT) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM (SELECT *
    FROM (SELECT "__t_a",
        "__t_b",
        "__t_c",
        "a_ts",
        "a_k",
        "a_v",
        "b_ts",
        "b_k",
        "b_v",
        "c_ts",
        "c_k",
        "c_v",
        __ts,
        ("__t_a" >= $live0::BIGINT AND "__t_b" >= $live1::BIGINT AND "__t_c" >= $live2::BIGINT) AS __given
      FROM (SELECT *,
          greatest("__t_a", "__t_b", "__t_c") AS __ts
        FROM ((SELECT "__t_a",
              "__t_b",
              "__t_c",
              "a_ts",
              "a_k",
              "a_v",
              "b_ts",
              "b_k",
              "b_v",
              "c_ts",
              "c_k",
              "c_v"
            FROM (SELECT "__t_b",
                "__t_c",
                "b_ts",
                "b_k",
                "b_v",
                "c_ts",
                "c_k",
                "c_v"
              FROM (SELECT pane AS "__t_c",
                  "c_ts",
                  "c_k",
                  "c_v"
                FROM f2) AS l
              JOIN (SELECT pane AS "__t_b",
                  "b_ts",
                  "b_k",
                  "b_v"
                FROM h1
                UNION ALL SELECT pane AS "__t_b",
                  "b_ts",
                  "b_k",
                  "b_v"
                FROM f1) AS r
              ON l."__t_c" <= r."__t_b" + 2000000 AND r."__t_b" <= l."__t_c" + 2000000 AND ((abs(("b_v" - "c_v")) < CAST(2 AS DOUBLE)))) AS l
            JOIN (SELECT pane AS "__t_a",
                "a_ts",
                "a_k",
                "a_v"
              FROM h0
              UNION ALL SELECT pane AS "__t_a",
                "a_ts",
                "a_k",
                "a_v"
              FROM f0) AS r
            ON l."b_k" = r."a_k" AND l."__t_b" <= r."__t_a" + 1000000 AND r."__t_a" <= l."__t_b" + 1000000 AND l."__t_c" <= r."__t_a" + 3000000 AND r."__t_a" <= l."__t_c" + 3000000))))
    WHERE __given)

-- join: three, inner node, ordered
SELECT "a_ts" AS "a_ts",
    "a_k" AS "a_k",
    "a_v" AS "a_v",
    "b_ts" AS "b_ts",
    "b_k" AS "b_k",
    "b_v" AS "b_v",
    "c_ts" AS "c_ts",
    "c_k" AS "c_k",
    "c_v" AS "c_v",
    make_timestamptz(__ts) AS event_time,
    CASE WHEN __given THEN 'final' ELSE 'revision' END AS kind,
    CAST(CASE WHEN __given THEN 0 ELSE 1 END AS INT) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM (SELECT *
    FROM (SELECT "__t_a",
        "__t_b",
        "__t_c",
        "a_ts",
        "a_k",
        "a_v",
        "b_ts",
        "b_k",
        "b_v",
        "c_ts",
        "c_k",
        "c_v",
        __ts,
        __ts >= $after::BIGINT AS __given
      FROM (SELECT *,
          greatest("__t_a", "__t_b", "__t_c") AS __ts
        FROM ((SELECT "__t_a",
              "__t_b",
              "__t_c",
              "a_ts",
              "a_k",
              "a_v",
              "b_ts",
              "b_k",
              "b_v",
              "c_ts",
              "c_k",
              "c_v"
            FROM (SELECT "__t_a",
                "__t_b",
                "a_ts",
                "a_k",
                "a_v",
                "b_ts",
                "b_k",
                "b_v"
              FROM n0) AS l
            JOIN (SELECT pane AS "__t_c",
                "c_ts",
                "c_k",
                "c_v"
              FROM h1
              WHERE pane < $after::BIGINT) AS r
            ON l."a_k" = r."c_k" AND l."__t_a" <= r."__t_c" + 4000000 AND r."__t_c" <= l."__t_a" + 3000000 AND l."__t_b" <= r."__t_c" + 4000000 AND r."__t_c" <= l."__t_b" + 2000000)
          UNION ALL (SELECT "__t_a",
              "__t_b",
              "__t_c",
              "a_ts",
              "a_k",
              "a_v",
              "b_ts",
              "b_k",
              "b_v",
              "c_ts",
              "c_k",
              "c_v"
            FROM (SELECT pane AS "__t_c",
                "c_ts",
                "c_k",
                "c_v"
              FROM h1
              WHERE pane >= $after::BIGINT AND pane < $upto::BIGINT
              UNION ALL SELECT pane AS "__t_c",
                "c_ts",
                "c_k",
                "c_v"
              FROM f1
              WHERE pane < $upto::BIGINT) AS l
            JOIN (SELECT "__t_a",
                "__t_b",
                "a_ts",
                "a_k",
                "a_v",
                "b_ts",
                "b_k",
                "b_v"
              FROM h0
              UNION ALL SELECT "__t_a",
                "__t_b",
                "a_ts",
                "a_k",
                "a_v",
                "b_ts",
                "b_k",
                "b_v"
              FROM n0) AS r
            ON l."c_k" = r."a_k" AND l."__t_c" <= r."__t_a" + 3000000 AND r."__t_a" <= l."__t_c" + 4000000 AND l."__t_c" <= r."__t_b" + 2000000 AND r."__t_b" <= l."__t_c" + 4000000))))
    WHERE __given)
  ORDER BY event_time

-- join: three, inner node, ordered, one child
SELECT "a_ts" AS "a_ts",
    "a_k" AS "a_k",
    "a_v" AS "a_v",
    "b_ts" AS "b_ts",
    "b_k" AS "b_k",
    "b_v" AS "b_v",
    "c_ts" AS "c_ts",
    "c_k" AS "c_k",
    "c_v" AS "c_v",
    make_timestamptz(__ts) AS event_time,
    CASE WHEN __given THEN 'final' ELSE 'revision' END AS kind,
    CAST(CASE WHEN __given THEN 0 ELSE 1 END AS INT) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM (SELECT *
    FROM (SELECT "__t_a",
        "__t_b",
        "__t_c",
        "a_ts",
        "a_k",
        "a_v",
        "b_ts",
        "b_k",
        "b_v",
        "c_ts",
        "c_k",
        "c_v",
        __ts,
        __ts >= $after::BIGINT AS __given
      FROM (SELECT *,
          greatest("__t_a", "__t_b", "__t_c") AS __ts
        FROM ((SELECT "__t_a",
              "__t_b",
              "__t_c",
              "a_ts",
              "a_k",
              "a_v",
              "b_ts",
              "b_k",
              "b_v",
              "c_ts",
              "c_k",
              "c_v"
            FROM (SELECT pane AS "__t_c",
                "c_ts",
                "c_k",
                "c_v"
              FROM h1
              WHERE pane >= $after::BIGINT AND pane < $upto::BIGINT
              UNION ALL SELECT pane AS "__t_c",
                "c_ts",
                "c_k",
                "c_v"
              FROM f1
              WHERE pane < $upto::BIGINT) AS l
            JOIN (SELECT "__t_a",
                "__t_b",
                "a_ts",
                "a_k",
                "a_v",
                "b_ts",
                "b_k",
                "b_v"
              FROM h0
              UNION ALL SELECT "__t_a",
                "__t_b",
                "a_ts",
                "a_k",
                "a_v",
                "b_ts",
                "b_k",
                "b_v"
              FROM n0) AS r
            ON l."c_k" = r."a_k" AND l."__t_c" <= r."__t_a" + 3000000 AND r."__t_a" <= l."__t_c" + 4000000 AND l."__t_c" <= r."__t_b" + 2000000 AND r."__t_b" <= l."__t_c" + 4000000))))
    WHERE __given)
  ORDER BY event_time

-- join: three, crossed
SELECT "a_ts" AS "a_ts",
    "a_k" AS "a_k",
    "a_v" AS "a_v",
    "b_ts" AS "b_ts",
    "b_k" AS "b_k",
    "b_v" AS "b_v",
    "c_ts" AS "c_ts",
    "c_k" AS "c_k",
    "c_v" AS "c_v",
    make_timestamptz(__ts) AS event_time,
    CASE WHEN __given THEN 'final' ELSE 'revision' END AS kind,
    CAST(CASE WHEN __given THEN 0 ELSE 1 END AS INT) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM (SELECT *
    FROM (SELECT "__t_a",
        "__t_b",
        "__t_c",
        "a_ts",
        "a_k",
        "a_v",
        "b_ts",
        "b_k",
        "b_v",
        "c_ts",
        "c_k",
        "c_v",
        __ts,
        ("__t_a" >= $live0::BIGINT AND "__t_b" >= $live1::BIGINT AND "__t_c" >= $live2::BIGINT) AS __given
      FROM (SELECT *,
          greatest("__t_a", "__t_b", "__t_c") AS __ts
        FROM ((SELECT "__t_a",
              "__t_b",
              "__t_c",
              "a_ts",
              "a_k",
              "a_v",
              "b_ts",
              "b_k",
              "b_v",
              "c_ts",
              "c_k",
              "c_v"
            FROM (SELECT "__t_a",
                "__t_b",
                "a_ts",
                "a_k",
                "a_v",
                "b_ts",
                "b_k",
                "b_v"
              FROM (SELECT pane AS "__t_a",
                  "a_ts",
                  "a_k",
                  "a_v"
                FROM f0) AS l
              JOIN (SELECT pane AS "__t_b",
                  "b_ts",
                  "b_k",
                  "b_v"
                FROM h1) AS r
              ON l."a_k" = r."b_k" AND l."__t_a" <= r."__t_b" + 5000000 AND r."__t_b" <= l."__t_a" + 5000000) AS l
            JOIN (SELECT pane AS "__t_c",
                "c_ts",
                "c_k",
                "c_v"
              FROM h2) AS r
            ON l."__t_a" <= r."__t_c" + 5000000 AND r."__t_c" <= l."__t_a" + 5000000 AND l."__t_b" <= r."__t_c" + 5000000 AND r."__t_c" <= l."__t_b" + 5000000)
          UNION ALL (SELECT "__t_a",
              "__t_b",
              "__t_c",
              "a_ts",
              "a_k",
              "a_v",
              "b_ts",
              "b_k",
              "b_v",
              "c_ts",
              "c_k",
              "c_v"
            FROM (SELECT "__t_a",
                "__t_b",
                "a_ts",
                "a_k",
                "a_v",
                "b_ts",
                "b_k",
                "b_v"
              FROM (SELECT pane AS "__t_b",
                  "b_ts",
                  "b_k",
                  "b_v"
                FROM f1) AS l
              JOIN (SELECT pane AS "__t_a",
                  "a_ts",
                  "a_k",
                  "a_v"
                FROM h0
                UNION ALL SELECT pane AS "__t_a",
                  "a_ts",
                  "a_k",
                  "a_v"
                FROM f0) AS r
              ON l."b_k" = r."a_k" AND l."__t_b" <= r."__t_a" + 5000000 AND r."__t_a" <= l."__t_b" + 5000000) AS l
            JOIN (SELECT pane AS "__t_c",
                "c_ts",
                "c_k",
                "c_v"
              FROM h2) AS r
            ON l."__t_a" <= r."__t_c" + 5000000 AND r."__t_c" <= l."__t_a" + 5000000 AND l."__t_b" <= r."__t_c" + 5000000 AND r."__t_c" <= l."__t_b" + 5000000)
          UNION ALL (SELECT "__t_a",
              "__t_b",
              "__t_c",
              "a_ts",
              "a_k",
              "a_v",
              "b_ts",
              "b_k",
              "b_v",
              "c_ts",
              "c_k",
              "c_v"
            FROM (SELECT "__t_a",
                "__t_c",
                "a_ts",
                "a_k",
                "a_v",
                "c_ts",
                "c_k",
                "c_v"
              FROM (SELECT pane AS "__t_c",
                  "c_ts",
                  "c_k",
                  "c_v"
                FROM f2) AS l
              JOIN (SELECT pane AS "__t_a",
                  "a_ts",
                  "a_k",
                  "a_v"
                FROM h0
                UNION ALL SELECT pane AS "__t_a",
                  "a_ts",
                  "a_k",
                  "a_v"
                FROM f0) AS r
              ON l."__t_c" <= r."__t_a" + 5000000 AND r."__t_a" <= l."__t_c" + 5000000) AS l
            JOIN (SELECT pane AS "__t_b",
                "b_ts",
                "b_k",
                "b_v"
              FROM h1
              UNION ALL SELECT pane AS "__t_b",
                "b_ts",
                "b_k",
                "b_v"
              FROM f1) AS r
            ON l."a_k" = r."b_k" AND l."__t_a" <= r."__t_b" + 5000000 AND r."__t_b" <= l."__t_a" + 5000000 AND l."__t_c" <= r."__t_b" + 5000000 AND r."__t_b" <= l."__t_c" + 5000000))))
    WHERE __given)

-- join: three, crossed, one child
SELECT "a_ts" AS "a_ts",
    "a_k" AS "a_k",
    "a_v" AS "a_v",
    "b_ts" AS "b_ts",
    "b_k" AS "b_k",
    "b_v" AS "b_v",
    "c_ts" AS "c_ts",
    "c_k" AS "c_k",
    "c_v" AS "c_v",
    make_timestamptz(__ts) AS event_time,
    CASE WHEN __given THEN 'final' ELSE 'revision' END AS kind,
    CAST(CASE WHEN __given THEN 0 ELSE 1 END AS INT) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM (SELECT *
    FROM (SELECT "__t_a",
        "__t_b",
        "__t_c",
        "a_ts",
        "a_k",
        "a_v",
        "b_ts",
        "b_k",
        "b_v",
        "c_ts",
        "c_k",
        "c_v",
        __ts,
        ("__t_a" >= $live0::BIGINT AND "__t_b" >= $live1::BIGINT AND "__t_c" >= $live2::BIGINT) AS __given
      FROM (SELECT *,
          greatest("__t_a", "__t_b", "__t_c") AS __ts
        FROM ((SELECT "__t_a",
              "__t_b",
              "__t_c",
              "a_ts",
              "a_k",
              "a_v",
              "b_ts",
              "b_k",
              "b_v",
              "c_ts",
              "c_k",
              "c_v"
            FROM (SELECT "__t_a",
                "__t_c",
                "a_ts",
                "a_k",
                "a_v",
                "c_ts",
                "c_k",
                "c_v"
              FROM (SELECT pane AS "__t_c",
                  "c_ts",
                  "c_k",
                  "c_v"
                FROM f2) AS l
              JOIN (SELECT pane AS "__t_a",
                  "a_ts",
                  "a_k",
                  "a_v"
                FROM h0
                UNION ALL SELECT pane AS "__t_a",
                  "a_ts",
                  "a_k",
                  "a_v"
                FROM f0) AS r
              ON l."__t_c" <= r."__t_a" + 5000000 AND r."__t_a" <= l."__t_c" + 5000000) AS l
            JOIN (SELECT pane AS "__t_b",
                "b_ts",
                "b_k",
                "b_v"
              FROM h1
              UNION ALL SELECT pane AS "__t_b",
                "b_ts",
                "b_k",
                "b_v"
              FROM f1) AS r
            ON l."a_k" = r."b_k" AND l."__t_a" <= r."__t_b" + 5000000 AND r."__t_b" <= l."__t_a" + 5000000 AND l."__t_c" <= r."__t_b" + 5000000 AND r."__t_b" <= l."__t_c" + 5000000))))
    WHERE __given)

-- join: four, bushy
SELECT "a_ts" AS "a_ts",
    "a_k" AS "a_k",
    "a_v" AS "a_v",
    "b_ts" AS "b_ts",
    "b_k" AS "b_k",
    "b_v" AS "b_v",
    "c_ts" AS "c_ts",
    "c_k" AS "c_k",
    "c_v" AS "c_v",
    "d_ts" AS "d_ts",
    "d_k" AS "d_k",
    "d_v" AS "d_v",
    make_timestamptz(__ts) AS event_time,
    CASE WHEN __given THEN 'final' ELSE 'revision' END AS kind,
    CAST(CASE WHEN __given THEN 0 ELSE 1 END AS INT) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM (SELECT *
    FROM (SELECT "__t_a",
        "__t_b",
        "__t_c",
        "__t_d",
        "a_ts",
        "a_k",
        "a_v",
        "b_ts",
        "b_k",
        "b_v",
        "c_ts",
        "c_k",
        "c_v",
        "d_ts",
        "d_k",
        "d_v",
        __ts,
        ("__t_a" >= $live0::BIGINT AND "__t_b" >= $live1::BIGINT AND "__t_c" >= $live2::BIGINT AND "__t_d" >= $live3::BIGINT) AS __given
      FROM (SELECT *,
          greatest("__t_a", "__t_b", "__t_c", "__t_d") AS __ts
        FROM ((SELECT "__t_a",
              "__t_b",
              "__t_c",
              "__t_d",
              "a_ts",
              "a_k",
              "a_v",
              "b_ts",
              "b_k",
              "b_v",
              "c_ts",
              "c_k",
              "c_v",
              "d_ts",
              "d_k",
              "d_v"
            FROM (SELECT "__t_a",
                "__t_b",
                "a_ts",
                "a_k",
                "a_v",
                "b_ts",
                "b_k",
                "b_v"
              FROM n0) AS l
            JOIN (SELECT "__t_c",
                "__t_d",
                "c_ts",
                "c_k",
                "c_v",
                "d_ts",
                "d_k",
                "d_v"
              FROM h1) AS r
            ON l."a_k" = r."c_k" AND l."__t_a" <= r."__t_c" + 5000000 AND r."__t_c" <= l."__t_a" + 5000000 AND l."__t_a" <= r."__t_d" + 5000000 AND r."__t_d" <= l."__t_a" + 5000000 AND l."__t_b" <= r."__t_c" + 5000000 AND r."__t_c" <= l."__t_b" + 5000000 AND l."__t_b" <= r."__t_d" + 5000000 AND r."__t_d" <= l."__t_b" + 5000000)
          UNION ALL (SELECT "__t_a",
              "__t_b",
              "__t_c",
              "__t_d",
              "a_ts",
              "a_k",
              "a_v",
              "b_ts",
              "b_k",
              "b_v",
              "c_ts",
              "c_k",
              "c_v",
              "d_ts",
              "d_k",
              "d_v"
            FROM (SELECT "__t_c",
                "__t_d",
                "c_ts",
                "c_k",
                "c_v",
                "d_ts",
                "d_k",
                "d_v"
              FROM n1) AS l
            JOIN (SELECT "__t_a",
                "__t_b",
                "a_ts",
                "a_k",
                "a_v",
                "b_ts",
                "b_k",
                "b_v"
              FROM h0
              UNION ALL SELECT "__t_a",
                "__t_b",
                "a_ts",
                "a_k",
                "a_v",
                "b_ts",
                "b_k",
                "b_v"
              FROM n0) AS r
            ON l."c_k" = r."a_k" AND l."__t_c" <= r."__t_a" + 5000000 AND r."__t_a" <= l."__t_c" + 5000000 AND l."__t_c" <= r."__t_b" + 5000000 AND r."__t_b" <= l."__t_c" + 5000000 AND l."__t_d" <= r."__t_a" + 5000000 AND r."__t_a" <= l."__t_d" + 5000000 AND l."__t_d" <= r."__t_b" + 5000000 AND r."__t_b" <= l."__t_d" + 5000000))))
    WHERE __given)

-- join: four, bushy, one child
SELECT "a_ts" AS "a_ts",
    "a_k" AS "a_k",
    "a_v" AS "a_v",
    "b_ts" AS "b_ts",
    "b_k" AS "b_k",
    "b_v" AS "b_v",
    "c_ts" AS "c_ts",
    "c_k" AS "c_k",
    "c_v" AS "c_v",
    "d_ts" AS "d_ts",
    "d_k" AS "d_k",
    "d_v" AS "d_v",
    make_timestamptz(__ts) AS event_time,
    CASE WHEN __given THEN 'final' ELSE 'revision' END AS kind,
    CAST(CASE WHEN __given THEN 0 ELSE 1 END AS INT) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM (SELECT *
    FROM (SELECT "__t_a",
        "__t_b",
        "__t_c",
        "__t_d",
        "a_ts",
        "a_k",
        "a_v",
        "b_ts",
        "b_k",
        "b_v",
        "c_ts",
        "c_k",
        "c_v",
        "d_ts",
        "d_k",
        "d_v",
        __ts,
        ("__t_a" >= $live0::BIGINT AND "__t_b" >= $live1::BIGINT AND "__t_c" >= $live2::BIGINT AND "__t_d" >= $live3::BIGINT) AS __given
      FROM (SELECT *,
          greatest("__t_a", "__t_b", "__t_c", "__t_d") AS __ts
        FROM ((SELECT "__t_a",
              "__t_b",
              "__t_c",
              "__t_d",
              "a_ts",
              "a_k",
              "a_v",
              "b_ts",
              "b_k",
              "b_v",
              "c_ts",
              "c_k",
              "c_v",
              "d_ts",
              "d_k",
              "d_v"
            FROM (SELECT "__t_c",
                "__t_d",
                "c_ts",
                "c_k",
                "c_v",
                "d_ts",
                "d_k",
                "d_v"
              FROM n1) AS l
            JOIN (SELECT "__t_a",
                "__t_b",
                "a_ts",
                "a_k",
                "a_v",
                "b_ts",
                "b_k",
                "b_v"
              FROM h0
              UNION ALL SELECT "__t_a",
                "__t_b",
                "a_ts",
                "a_k",
                "a_v",
                "b_ts",
                "b_k",
                "b_v"
              FROM n0) AS r
            ON l."c_k" = r."a_k" AND l."__t_c" <= r."__t_a" + 5000000 AND r."__t_a" <= l."__t_c" + 5000000 AND l."__t_c" <= r."__t_b" + 5000000 AND r."__t_b" <= l."__t_c" + 5000000 AND l."__t_d" <= r."__t_a" + 5000000 AND r."__t_a" <= l."__t_d" + 5000000 AND l."__t_d" <= r."__t_b" + 5000000 AND r."__t_b" <= l."__t_d" + 5000000))))
    WHERE __given)

-- join: odd names
SELECT "x ""1""_Time" AS "x ""1""_Time",
    "x ""1""_the ""k""" AS "x ""1""_the ""k""",
    "x ""1""_a.b" AS "x ""1""_a.b",
    "x ""1""_V v" AS "x ""1""_V v",
    "y.2_Time" AS "y.2_Time",
    "y.2_the ""k""" AS "y.2_the ""k""",
    "y.2_a.b" AS "y.2_a.b",
    "y.2_V v" AS "y.2_V v",
    make_timestamptz(__ts) AS event_time,
    CASE WHEN __given THEN 'final' ELSE 'revision' END AS kind,
    CAST(CASE WHEN __given THEN 0 ELSE 1 END AS INT) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM (SELECT *
    FROM (SELECT "__t_x ""1""",
        "__t_y.2",
        "x ""1""_Time",
        "x ""1""_the ""k""",
        "x ""1""_a.b",
        "x ""1""_V v",
        "y.2_Time",
        "y.2_the ""k""",
        "y.2_a.b",
        "y.2_V v",
        __ts,
        ("__t_x ""1""" >= $live0::BIGINT AND "__t_y.2" >= $live1::BIGINT) AS __given
      FROM (SELECT *,
          greatest("__t_x ""1""", "__t_y.2") AS __ts
        FROM ((SELECT "__t_x ""1""",
              "__t_y.2",
              "x ""1""_Time",
              "x ""1""_the ""k""",
              "x ""1""_a.b",
              "x ""1""_V v",
              "y.2_Time",
              "y.2_the ""k""",
              "y.2_a.b",
              "y.2_V v"
            FROM (SELECT pane AS "__t_x ""1""",
                "x ""1""_Time",
                "x ""1""_the ""k""",
                "x ""1""_a.b",
                "x ""1""_V v"
              FROM f0) AS l
            JOIN (SELECT pane AS "__t_y.2",
                "y.2_Time",
                "y.2_the ""k""",
                "y.2_a.b",
                "y.2_V v"
              FROM h1) AS r
            ON l."x ""1""_the ""k""" = r."y.2_the ""k""" AND l."__t_x ""1""" <= r."__t_y.2" + 5000000 AND r."__t_y.2" <= l."__t_x ""1""" + 5000000)
          UNION ALL (SELECT "__t_x ""1""",
              "__t_y.2",
              "x ""1""_Time",
              "x ""1""_the ""k""",
              "x ""1""_a.b",
              "x ""1""_V v",
              "y.2_Time",
              "y.2_the ""k""",
              "y.2_a.b",
              "y.2_V v"
            FROM (SELECT pane AS "__t_y.2",
                "y.2_Time",
                "y.2_the ""k""",
                "y.2_a.b",
                "y.2_V v"
              FROM f1) AS l
            JOIN (SELECT pane AS "__t_x ""1""",
                "x ""1""_Time",
                "x ""1""_the ""k""",
                "x ""1""_a.b",
                "x ""1""_V v"
              FROM h0
              UNION ALL SELECT pane AS "__t_x ""1""",
                "x ""1""_Time",
                "x ""1""_the ""k""",
                "x ""1""_a.b",
                "x ""1""_V v"
              FROM f0) AS r
            ON l."y.2_the ""k""" = r."x ""1""_the ""k""" AND l."__t_y.2" <= r."__t_x ""1""" + 5000000 AND r."__t_x ""1""" <= l."__t_y.2" + 5000000))))
    WHERE __given)

-- join: odd names, one child
SELECT "x ""1""_Time" AS "x ""1""_Time",
    "x ""1""_the ""k""" AS "x ""1""_the ""k""",
    "x ""1""_a.b" AS "x ""1""_a.b",
    "x ""1""_V v" AS "x ""1""_V v",
    "y.2_Time" AS "y.2_Time",
    "y.2_the ""k""" AS "y.2_the ""k""",
    "y.2_a.b" AS "y.2_a.b",
    "y.2_V v" AS "y.2_V v",
    make_timestamptz(__ts) AS event_time,
    CASE WHEN __given THEN 'final' ELSE 'revision' END AS kind,
    CAST(CASE WHEN __given THEN 0 ELSE 1 END AS INT) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM (SELECT *
    FROM (SELECT "__t_x ""1""",
        "__t_y.2",
        "x ""1""_Time",
        "x ""1""_the ""k""",
        "x ""1""_a.b",
        "x ""1""_V v",
        "y.2_Time",
        "y.2_the ""k""",
        "y.2_a.b",
        "y.2_V v",
        __ts,
        ("__t_x ""1""" >= $live0::BIGINT AND "__t_y.2" >= $live1::BIGINT) AS __given
      FROM (SELECT *,
          greatest("__t_x ""1""", "__t_y.2") AS __ts
        FROM ((SELECT "__t_x ""1""",
              "__t_y.2",
              "x ""1""_Time",
              "x ""1""_the ""k""",
              "x ""1""_a.b",
              "x ""1""_V v",
              "y.2_Time",
              "y.2_the ""k""",
              "y.2_a.b",
              "y.2_V v"
            FROM (SELECT pane AS "__t_y.2",
                "y.2_Time",
                "y.2_the ""k""",
                "y.2_a.b",
                "y.2_V v"
              FROM f1) AS l
            JOIN (SELECT pane AS "__t_x ""1""",
                "x ""1""_Time",
                "x ""1""_the ""k""",
                "x ""1""_a.b",
                "x ""1""_V v"
              FROM h0
              UNION ALL SELECT pane AS "__t_x ""1""",
                "x ""1""_Time",
                "x ""1""_the ""k""",
                "x ""1""_a.b",
                "x ""1""_V v"
              FROM f0) AS r
            ON l."y.2_the ""k""" = r."x ""1""_the ""k""" AND l."__t_y.2" <= r."__t_x ""1""" + 5000000 AND r."__t_x ""1""" <= l."__t_y.2" + 5000000))))
    WHERE __given)

-- join: wall clock
SELECT "a_ts" AS "a_ts",
    "a_k" AS "a_k",
    "a_v" AS "a_v",
    "b_ts" AS "b_ts",
    "b_k" AS "b_k",
    "b_v" AS "b_v",
    make_timestamp(__ts) AS event_time,
    CASE WHEN __given THEN 'final' ELSE 'revision' END AS kind,
    CAST(CASE WHEN __given THEN 0 ELSE 1 END AS INT) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM (SELECT *
    FROM (SELECT "__t_a",
        "__t_b",
        "a_ts",
        "a_k",
        "a_v",
        "b_ts",
        "b_k",
        "b_v",
        __ts,
        ("__t_a" >= $live0::BIGINT AND "__t_b" >= $live1::BIGINT) AS __given
      FROM (SELECT *,
          greatest("__t_a", "__t_b") AS __ts
        FROM ((SELECT "__t_a",
              "__t_b",
              "a_ts",
              "a_k",
              "a_v",
              "b_ts",
              "b_k",
              "b_v"
            FROM (SELECT pane AS "__t_a",
                "a_ts",
                "a_k",
                "a_v"
              FROM f0) AS l
            JOIN (SELECT pane AS "__t_b",
                "b_ts",
                "b_k",
                "b_v"
              FROM h1) AS r
            ON l."a_k" = r."b_k" AND l."__t_a" <= r."__t_b" + 5000000 AND r."__t_b" <= l."__t_a" + 5000000)
          UNION ALL (SELECT "__t_a",
              "__t_b",
              "a_ts",
              "a_k",
              "a_v",
              "b_ts",
              "b_k",
              "b_v"
            FROM (SELECT pane AS "__t_b",
                "b_ts",
                "b_k",
                "b_v"
              FROM f1) AS l
            JOIN (SELECT pane AS "__t_a",
                "a_ts",
                "a_k",
                "a_v"
              FROM h0
              UNION ALL SELECT pane AS "__t_a",
                "a_ts",
                "a_k",
                "a_v"
              FROM f0) AS r
            ON l."b_k" = r."a_k" AND l."__t_b" <= r."__t_a" + 5000000 AND r."__t_a" <= l."__t_b" + 5000000))))
    WHERE __given)

-- join: wall clock, one child
SELECT "a_ts" AS "a_ts",
    "a_k" AS "a_k",
    "a_v" AS "a_v",
    "b_ts" AS "b_ts",
    "b_k" AS "b_k",
    "b_v" AS "b_v",
    make_timestamp(__ts) AS event_time,
    CASE WHEN __given THEN 'final' ELSE 'revision' END AS kind,
    CAST(CASE WHEN __given THEN 0 ELSE 1 END AS INT) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM (SELECT *
    FROM (SELECT "__t_a",
        "__t_b",
        "a_ts",
        "a_k",
        "a_v",
        "b_ts",
        "b_k",
        "b_v",
        __ts,
        ("__t_a" >= $live0::BIGINT AND "__t_b" >= $live1::BIGINT) AS __given
      FROM (SELECT *,
          greatest("__t_a", "__t_b") AS __ts
        FROM ((SELECT "__t_a",
              "__t_b",
              "a_ts",
              "a_k",
              "a_v",
              "b_ts",
              "b_k",
              "b_v"
            FROM (SELECT pane AS "__t_b",
                "b_ts",
                "b_k",
                "b_v"
              FROM f1) AS l
            JOIN (SELECT pane AS "__t_a",
                "a_ts",
                "a_k",
                "a_v"
              FROM h0
              UNION ALL SELECT pane AS "__t_a",
                "a_ts",
                "a_k",
                "a_v"
              FROM f0) AS r
            ON l."b_k" = r."a_k" AND l."__t_b" <= r."__t_a" + 5000000 AND r."__t_a" <= l."__t_b" + 5000000))))
    WHERE __given)
