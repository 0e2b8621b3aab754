-- join: ordered, revised
SELECT "__t_a",
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
          WHERE pane >= $after::BIGINT AND pane < $upto::BIGINT AND pane >= $low0::BIGINT
          UNION ALL SELECT pane AS "__t_a",
            "a_k",
            "a_v"
          FROM f0
          WHERE pane < $upto::BIGINT AND pane >= $low0::BIGINT) AS l
        JOIN (SELECT pane AS "__t_b",
            "b_k",
            "b_v"
          FROM h1
          WHERE pane < $after::BIGINT AND pane >= $low1::BIGINT) AS r
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
          WHERE pane >= $after::BIGINT AND pane < $upto::BIGINT AND pane >= $low1::BIGINT
          UNION ALL SELECT pane AS "__t_b",
            "b_k",
            "b_v"
          FROM f1
          WHERE pane < $upto::BIGINT AND pane >= $low1::BIGINT) AS l
        JOIN (SELECT pane AS "__t_a",
            "a_k",
            "a_v"
          FROM h0
          WHERE pane < $after::BIGINT AND pane >= $low0::BIGINT
          UNION ALL SELECT pane AS "__t_a",
            "a_k",
            "a_v"
          FROM h0
          WHERE pane >= $after::BIGINT AND pane < $upto::BIGINT AND pane >= $low0::BIGINT
          UNION ALL SELECT pane AS "__t_a",
            "a_k",
            "a_v"
          FROM f0
          WHERE pane < $upto::BIGINT AND pane >= $low0::BIGINT) AS r
        ON l."b_k" = r."a_k" AND l."__t_b" <= r."__t_a" + 5000000 AND r."__t_a" <= l."__t_b" + 5000000)))

-- join: ordered, revised, one child
SELECT "__t_a",
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
          WHERE pane >= $after::BIGINT AND pane < $upto::BIGINT AND pane >= $low1::BIGINT
          UNION ALL SELECT pane AS "__t_b",
            "b_k",
            "b_v"
          FROM f1
          WHERE pane < $upto::BIGINT AND pane >= $low1::BIGINT) AS l
        JOIN (SELECT pane AS "__t_a",
            "a_k",
            "a_v"
          FROM h0
          WHERE pane < $after::BIGINT AND pane >= $low0::BIGINT
          UNION ALL SELECT pane AS "__t_a",
            "a_k",
            "a_v"
          FROM h0
          WHERE pane >= $after::BIGINT AND pane < $upto::BIGINT AND pane >= $low0::BIGINT
          UNION ALL SELECT pane AS "__t_a",
            "a_k",
            "a_v"
          FROM f0
          WHERE pane < $upto::BIGINT AND pane >= $low0::BIGINT) AS r
        ON l."b_k" = r."a_k" AND l."__t_b" <= r."__t_a" + 5000000 AND r."__t_a" <= l."__t_b" + 5000000)))

-- join: revised
SELECT "__t_a",
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
          FROM f0
          WHERE pane >= $low0::BIGINT) AS l
        JOIN (SELECT pane AS "__t_b",
            "b_k",
            "b_v"
          FROM h1
          WHERE pane >= $low1::BIGINT) AS r
        ON l."a_k" = r."b_k" AND l."__t_a" <= r."__t_b" + 5000000 AND r."__t_b" <= l."__t_a" + 5000000 AND (("a_v" < "b_v")))
      UNION ALL (SELECT "__t_a",
          "__t_b",
          "a_k",
          "a_v",
          "b_v"
        FROM (SELECT pane AS "__t_b",
            "b_k",
            "b_v"
          FROM f1
          WHERE pane >= $low1::BIGINT) AS l
        JOIN (SELECT pane AS "__t_a",
            "a_k",
            "a_v"
          FROM h0
          WHERE pane >= $low0::BIGINT
          UNION ALL SELECT pane AS "__t_a",
            "a_k",
            "a_v"
          FROM f0
          WHERE pane >= $low0::BIGINT) AS r
        ON l."b_k" = r."a_k" AND l."__t_b" <= r."__t_a" + 5000000 AND r."__t_a" <= l."__t_b" + 5000000 AND (("a_v" < "b_v")))))

-- join: revised, one child
SELECT "__t_a",
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
          FROM f1
          WHERE pane >= $low1::BIGINT) AS l
        JOIN (SELECT pane AS "__t_a",
            "a_k",
            "a_v"
          FROM h0
          WHERE pane >= $low0::BIGINT
          UNION ALL SELECT pane AS "__t_a",
            "a_k",
            "a_v"
          FROM f0
          WHERE pane >= $low0::BIGINT) AS r
        ON l."b_k" = r."a_k" AND l."__t_b" <= r."__t_a" + 5000000 AND r."__t_a" <= l."__t_b" + 5000000 AND (("a_v" < "b_v")))))

-- join: recall
SELECT "__t_a",
    "__t_b",
    "a_k",
    "a_v",
    "b_v",
    __at,
    __ts,
    ("__t_a" >= $live0::BIGINT AND "__t_b" >= $live1::BIGINT) AS __given
  FROM (SELECT *,
      greatest("__t_a", "__t_b") AS __ts
    FROM ((SELECT "__t_a",
          "__t_b",
          "a_k",
          "a_v",
          "b_v",
          greatest(l.__at, r.__at) AS __at
        FROM (SELECT pane AS "__t_a",
            "a_k",
            "a_v",
            __at
          FROM f0
          WHERE pane >= $low0::BIGINT) AS l
        JOIN (SELECT pane AS "__t_b",
            "b_k",
            "b_v",
            __at
          FROM h1
          WHERE pane >= $low1::BIGINT) AS r
        ON l."a_k" = r."b_k" AND l."__t_a" <= r."__t_b" + 5000000 AND r."__t_b" <= l."__t_a" + 5000000 AND (("a_v" < "b_v")))
      UNION ALL (SELECT "__t_a",
          "__t_b",
          "a_k",
          "a_v",
          "b_v",
          greatest(l.__at, r.__at) AS __at
        FROM (SELECT pane AS "__t_b",
            "b_k",
            "b_v",
            __at
          FROM f1
          WHERE pane >= $low1::BIGINT) AS l
        JOIN (SELECT pane AS "__t_a",
            "a_k",
            "a_v",
            __at
          FROM h0
          WHERE pane >= $low0::BIGINT
          UNION ALL SELECT pane AS "__t_a",
            "a_k",
            "a_v",
            __at
          FROM f0
          WHERE pane >= $low0::BIGINT) AS r
        ON l."b_k" = r."a_k" AND l."__t_b" <= r."__t_a" + 5000000 AND r."__t_a" <= l."__t_b" + 5000000 AND (("a_v" < "b_v")))))

-- join: recall, one child
SELECT "__t_a",
    "__t_b",
    "a_k",
    "a_v",
    "b_v",
    __at,
    __ts,
    ("__t_a" >= $live0::BIGINT AND "__t_b" >= $live1::BIGINT) AS __given
  FROM (SELECT *,
      greatest("__t_a", "__t_b") AS __ts
    FROM ((SELECT "__t_a",
          "__t_b",
          "a_k",
          "a_v",
          "b_v",
          greatest(l.__at, r.__at) AS __at
        FROM (SELECT pane AS "__t_b",
            "b_k",
            "b_v",
            __at
          FROM f1
          WHERE pane >= $low1::BIGINT) AS l
        JOIN (SELECT pane AS "__t_a",
            "a_k",
            "a_v",
            __at
          FROM h0
          WHERE pane >= $low0::BIGINT
          UNION ALL SELECT pane AS "__t_a",
            "a_k",
            "a_v",
            __at
          FROM f0
          WHERE pane >= $low0::BIGINT) AS r
        ON l."b_k" = r."a_k" AND l."__t_b" <= r."__t_a" + 5000000 AND r."__t_a" <= l."__t_b" + 5000000 AND (("a_v" < "b_v")))))

-- join: recall, ordered
SELECT "__t_a",
    "__t_b",
    "a_k",
    "a_v",
    "b_v",
    __at,
    __ts,
    __ts >= $after::BIGINT AS __given
  FROM (SELECT *,
      greatest("__t_a", "__t_b") AS __ts
    FROM ((SELECT "__t_a",
          "__t_b",
          "a_k",
          "a_v",
          "b_v",
          greatest(l.__at, r.__at) AS __at
        FROM (SELECT pane AS "__t_a",
            "a_k",
            "a_v",
            __at
          FROM h0
          WHERE pane >= $after::BIGINT AND pane < $upto::BIGINT AND pane >= $low0::BIGINT
          UNION ALL SELECT pane AS "__t_a",
            "a_k",
            "a_v",
            __at
          FROM f0
          WHERE pane < $upto::BIGINT AND pane >= $low0::BIGINT) AS l
        JOIN (SELECT pane AS "__t_b",
            "b_k",
            "b_v",
            __at
          FROM h1
          WHERE pane < $after::BIGINT AND pane >= $low1::BIGINT) AS r
        ON l."a_k" = r."b_k" AND l."__t_a" <= r."__t_b" + 5000000 AND r."__t_b" <= l."__t_a" + 5000000)
      UNION ALL (SELECT "__t_a",
          "__t_b",
          "a_k",
          "a_v",
          "b_v",
          greatest(l.__at, r.__at) AS __at
        FROM (SELECT pane AS "__t_b",
            "b_k",
            "b_v",
            __at
          FROM h1
          WHERE pane >= $after::BIGINT AND pane < $upto::BIGINT AND pane >= $low1::BIGINT
          UNION ALL SELECT pane AS "__t_b",
            "b_k",
            "b_v",
            __at
          FROM f1
          WHERE pane < $upto::BIGINT AND pane >= $low1::BIGINT) AS l
        JOIN (SELECT pane AS "__t_a",
            "a_k",
            "a_v",
            __at
          FROM h0
          WHERE pane < $after::BIGINT AND pane >= $low0::BIGINT
          UNION ALL SELECT pane AS "__t_a",
            "a_k",
            "a_v",
            __at
          FROM h0
          WHERE pane >= $after::BIGINT AND pane < $upto::BIGINT AND pane >= $low0::BIGINT
          UNION ALL SELECT pane AS "__t_a",
            "a_k",
            "a_v",
            __at
          FROM f0
          WHERE pane < $upto::BIGINT AND pane >= $low0::BIGINT) AS r
        ON l."b_k" = r."a_k" AND l."__t_b" <= r."__t_a" + 5000000 AND r."__t_a" <= l."__t_b" + 5000000)))

-- join: recall, ordered, one child
SELECT "__t_a",
    "__t_b",
    "a_k",
    "a_v",
    "b_v",
    __at,
    __ts,
    __ts >= $after::BIGINT AS __given
  FROM (SELECT *,
      greatest("__t_a", "__t_b") AS __ts
    FROM ((SELECT "__t_a",
          "__t_b",
          "a_k",
          "a_v",
          "b_v",
          greatest(l.__at, r.__at) AS __at
        FROM (SELECT pane AS "__t_b",
            "b_k",
            "b_v",
            __at
          FROM h1
          WHERE pane >= $after::BIGINT AND pane < $upto::BIGINT AND pane >= $low1::BIGINT
          UNION ALL SELECT pane AS "__t_b",
            "b_k",
            "b_v",
            __at
          FROM f1
          WHERE pane < $upto::BIGINT AND pane >= $low1::BIGINT) AS l
        JOIN (SELECT pane AS "__t_a",
            "a_k",
            "a_v",
            __at
          FROM h0
          WHERE pane < $after::BIGINT AND pane >= $low0::BIGINT
          UNION ALL SELECT pane AS "__t_a",
            "a_k",
            "a_v",
            __at
          FROM h0
          WHERE pane >= $after::BIGINT AND pane < $upto::BIGINT AND pane >= $low0::BIGINT
          UNION ALL SELECT pane AS "__t_a",
            "a_k",
            "a_v",
            __at
          FROM f0
          WHERE pane < $upto::BIGINT AND pane >= $low0::BIGINT) AS r
        ON l."b_k" = r."a_k" AND l."__t_b" <= r."__t_a" + 5000000 AND r."__t_a" <= l."__t_b" + 5000000)))

-- join: recall, revised, inner node
SELECT "__t_a",
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
    __at,
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
          "c_v",
          greatest(l.__at, r.__at) AS __at
        FROM (SELECT "__t_a",
            "__t_b",
            "a_ts",
            "a_k",
            "a_v",
            "b_ts",
            "b_k",
            "b_v",
            __at
          FROM n0) AS l
        JOIN (SELECT pane AS "__t_c",
            "c_ts",
            "c_k",
            "c_v",
            __at
          FROM h1
          WHERE pane >= $low2::BIGINT) AS r
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
          "c_v",
          greatest(l.__at, r.__at) AS __at
        FROM (SELECT pane AS "__t_c",
            "c_ts",
            "c_k",
            "c_v",
            __at
          FROM f1
          WHERE pane >= $low2::BIGINT) AS l
        JOIN (SELECT "__t_a",
            "__t_b",
            "a_ts",
            "a_k",
            "a_v",
            "b_ts",
            "b_k",
            "b_v",
            __at
          FROM h0
          WHERE "__t_a" >= $low0::BIGINT AND "__t_b" >= $low1::BIGINT
          UNION ALL SELECT "__t_a",
            "__t_b",
            "a_ts",
            "a_k",
            "a_v",
            "b_ts",
            "b_k",
            "b_v",
            __at
          FROM n0) AS r
        ON l."c_k" = r."a_k" AND l."__t_c" <= r."__t_a" + 3000000 AND r."__t_a" <= l."__t_c" + 4000000 AND l."__t_c" <= r."__t_b" + 2000000 AND r."__t_b" <= l."__t_c" + 4000000)))

-- join: recall, revised, inner node, one child
SELECT "__t_a",
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
    __at,
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
          "c_v",
          greatest(l.__at, r.__at) AS __at
        FROM (SELECT pane AS "__t_c",
            "c_ts",
            "c_k",
            "c_v",
            __at
          FROM f1
          WHERE pane >= $low2::BIGINT) AS l
        JOIN (SELECT "__t_a",
            "__t_b",
            "a_ts",
            "a_k",
            "a_v",
            "b_ts",
            "b_k",
            "b_v",
            __at
          FROM h0
          WHERE "__t_a" >= $low0::BIGINT AND "__t_b" >= $low1::BIGINT
          UNION ALL SELECT "__t_a",
            "__t_b",
            "a_ts",
            "a_k",
            "a_v",
            "b_ts",
            "b_k",
            "b_v",
            __at
          FROM n0) AS r
        ON l."c_k" = r."a_k" AND l."__t_c" <= r."__t_a" + 3000000 AND r."__t_a" <= l."__t_c" + 4000000 AND l."__t_c" <= r."__t_b" + 2000000 AND r."__t_b" <= l."__t_c" + 4000000)))

-- join: aggregate above
SELECT "__t_a",
    "__t_b",
    "__t_c",
    "a_k",
    "c_v",
    __ts,
    ("__t_a" >= $live0::BIGINT AND "__t_b" >= $live1::BIGINT AND "__t_c" >= $live2::BIGINT) AS __given
  FROM (SELECT *,
      greatest("__t_a", "__t_b", "__t_c") AS __ts
    FROM ((SELECT "__t_a",
          "__t_b",
          "__t_c",
          "a_k",
          "c_v"
        FROM (SELECT "__t_a",
            "__t_b",
            "a_k",
            "b_k"
          FROM n0) AS l
        JOIN (SELECT pane AS "__t_c",
            "c_k",
            "c_v"
          FROM h1
          WHERE pane >= $low2::BIGINT) AS r
        ON l."a_k" = r."c_k" AND l."__t_a" <= r."__t_c" + 5000000 AND r."__t_c" <= l."__t_a" + 5000000 AND l."__t_b" <= r."__t_c" + 5000000 AND r."__t_c" <= l."__t_b" + 5000000)
      UNION ALL (SELECT "__t_a",
          "__t_b",
          "__t_c",
          "a_k",
          "c_v"
        FROM (SELECT pane AS "__t_c",
            "c_k",
            "c_v"
          FROM f1
          WHERE pane >= $low2::BIGINT) AS l
        JOIN (SELECT "__t_a",
            "__t_b",
            "a_k",
            "b_k"
          FROM h0
          WHERE "__t_a" >= $low0::BIGINT AND "__t_b" >= $low1::BIGINT
          UNION ALL SELECT "__t_a",
            "__t_b",
            "a_k",
            "b_k"
          FROM n0) AS r
        ON l."c_k" = r."a_k" AND l."__t_c" <= r."__t_a" + 5000000 AND r."__t_a" <= l."__t_c" + 5000000 AND l."__t_c" <= r."__t_b" + 5000000 AND r."__t_b" <= l."__t_c" + 5000000)))

-- join: aggregate above, one child
SELECT "__t_a",
    "__t_b",
    "__t_c",
    "a_k",
    "c_v",
    __ts,
    ("__t_a" >= $live0::BIGINT AND "__t_b" >= $live1::BIGINT AND "__t_c" >= $live2::BIGINT) AS __given
  FROM (SELECT *,
      greatest("__t_a", "__t_b", "__t_c") AS __ts
    FROM ((SELECT "__t_a",
          "__t_b",
          "__t_c",
          "a_k",
          "c_v"
        FROM (SELECT pane AS "__t_c",
            "c_k",
            "c_v"
          FROM f1
          WHERE pane >= $low2::BIGINT) AS l
        JOIN (SELECT "__t_a",
            "__t_b",
            "a_k",
            "b_k"
          FROM h0
          WHERE "__t_a" >= $low0::BIGINT AND "__t_b" >= $low1::BIGINT
          UNION ALL SELECT "__t_a",
            "__t_b",
            "a_k",
            "b_k"
          FROM n0) AS r
        ON l."c_k" = r."a_k" AND l."__t_c" <= r."__t_a" + 5000000 AND r."__t_a" <= l."__t_c" + 5000000 AND l."__t_c" <= r."__t_b" + 5000000 AND r."__t_b" <= l."__t_c" + 5000000)))

-- join: aggregate above, estimated
SELECT *
  FROM (SELECT "__t_a",
      "__t_b",
      "__t_c",
      "a_k",
      "c_v",
      __ts,
      ("__t_a" >= $live0::BIGINT AND "__t_b" >= $live1::BIGINT AND "__t_c" >= $live2::BIGINT) AS __given
    FROM (SELECT *,
        greatest("__t_a", "__t_b", "__t_c") AS __ts
      FROM ((SELECT "__t_a",
            "__t_b",
            "__t_c",
            "a_k",
            "c_v"
          FROM (SELECT "__t_a",
              "__t_b",
              "a_k",
              "b_k"
            FROM n0) AS l
          JOIN (SELECT pane AS "__t_c",
              "c_k",
              "c_v"
            FROM h1) AS r
          ON l."a_k" = r."c_k" AND l."__t_a" <= r."__t_c" + 5000000 AND r."__t_c" <= l."__t_a" + 5000000 AND l."__t_b" <= r."__t_c" + 5000000 AND r."__t_c" <= l."__t_b" + 5000000)
        UNION ALL (SELECT "__t_a",
            "__t_b",
            "__t_c",
            "a_k",
            "c_v"
          FROM (SELECT pane AS "__t_c",
              "c_k",
              "c_v"
            FROM f1) AS l
          JOIN (SELECT "__t_a",
              "__t_b",
              "a_k",
              "b_k"
            FROM h0
            UNION ALL SELECT "__t_a",
              "__t_b",
              "a_k",
              "b_k"
            FROM n0) AS r
          ON l."c_k" = r."a_k" AND l."__t_c" <= r."__t_a" + 5000000 AND r."__t_a" <= l."__t_c" + 5000000 AND l."__t_c" <= r."__t_b" + 5000000 AND r."__t_b" <= l."__t_c" + 5000000))))
  WHERE __given

-- join: aggregate above, estimated, one child
SELECT *
  FROM (SELECT "__t_a",
      "__t_b",
      "__t_c",
      "a_k",
      "c_v",
      __ts,
      ("__t_a" >= $live0::BIGINT AND "__t_b" >= $live1::BIGINT AND "__t_c" >= $live2::BIGINT) AS __given
    FROM (SELECT *,
        greatest("__t_a", "__t_b", "__t_c") AS __ts
      FROM ((SELECT "__t_a",
            "__t_b",
            "__t_c",
            "a_k",
            "c_v"
          FROM (SELECT pane AS "__t_c",
              "c_k",
              "c_v"
            FROM f1) AS l
          JOIN (SELECT "__t_a",
              "__t_b",
              "a_k",
              "b_k"
            FROM h0
            UNION ALL SELECT "__t_a",
              "__t_b",
              "a_k",
              "b_k"
            FROM n0) AS r
          ON l."c_k" = r."a_k" AND l."__t_c" <= r."__t_a" + 5000000 AND r."__t_a" <= l."__t_c" + 5000000 AND l."__t_c" <= r."__t_b" + 5000000 AND r."__t_b" <= l."__t_c" + 5000000))))
  WHERE __given
