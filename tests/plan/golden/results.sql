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

-- join: left
SELECT *
  FROM (SELECT "__t_a",
      "__t_b",
      "a_k",
      "a_v",
      "b_v",
      __ts,
      ("__t_a" >= $live0::BIGINT AND "__t_b" >= $live1::BIGINT) AS __given,
      false AS __withdrawn
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
          ON l."a_k" = r."b_k" AND l."__t_a" <= r."__t_b" + 5000000 AND r."__t_b" <= l."__t_a" + 5000000 AND (("a_v" > ("b_v" + CAST(5 AS DOUBLE)))))
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
          ON l."b_k" = r."a_k" AND l."__t_b" <= r."__t_a" + 5000000 AND r."__t_a" <= l."__t_b" + 5000000 AND (("a_v" > ("b_v" + CAST(5 AS DOUBLE))))))))
  WHERE __given AND (("a_v" > coalesce("b_v", CAST(0 AS DOUBLE))))

-- join: left, one child
SELECT *
  FROM (SELECT "__t_a",
      "__t_b",
      "a_k",
      "a_v",
      "b_v",
      __ts,
      ("__t_a" >= $live0::BIGINT AND "__t_b" >= $live1::BIGINT) AS __given,
      false AS __withdrawn
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
          ON l."b_k" = r."a_k" AND l."__t_b" <= r."__t_a" + 5000000 AND r."__t_a" <= l."__t_b" + 5000000 AND (("a_v" > ("b_v" + CAST(5 AS DOUBLE))))))))
  WHERE __given AND (("a_v" > coalesce("b_v", CAST(0 AS DOUBLE))))

-- join: left, revised
SELECT "__t_a",
    "__t_b",
    "a_ts",
    "a_k",
    "a_v",
    "b_ts",
    "b_k",
    "b_v",
    __ts,
    ("__t_a" >= $live0::BIGINT AND "__t_b" >= $live1::BIGINT) AS __given,
    false AS __withdrawn
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
          FROM f0
          WHERE pane >= $low0::BIGINT) AS l
        JOIN (SELECT pane AS "__t_b",
            "b_ts",
            "b_k",
            "b_v"
          FROM h1
          WHERE pane >= $low1::BIGINT) AS r
        ON l."a_k" = r."b_k" AND l."__t_a" <= r."__t_b" + 5000000 AND r."__t_b" <= l."__t_a" + 5000000 AND (("a_v" > ("b_v" + CAST(5 AS DOUBLE)))))
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
          FROM f1
          WHERE pane >= $low1::BIGINT) AS l
        JOIN (SELECT pane AS "__t_a",
            "a_ts",
            "a_k",
            "a_v"
          FROM h0
          WHERE pane >= $low0::BIGINT
          UNION ALL SELECT pane AS "__t_a",
            "a_ts",
            "a_k",
            "a_v"
          FROM f0
          WHERE pane >= $low0::BIGINT) AS r
        ON l."b_k" = r."a_k" AND l."__t_b" <= r."__t_a" + 5000000 AND r."__t_a" <= l."__t_b" + 5000000 AND (("a_v" > ("b_v" + CAST(5 AS DOUBLE)))))))

-- join: left, revised, one child
SELECT "__t_a",
    "__t_b",
    "a_ts",
    "a_k",
    "a_v",
    "b_ts",
    "b_k",
    "b_v",
    __ts,
    ("__t_a" >= $live0::BIGINT AND "__t_b" >= $live1::BIGINT) AS __given,
    false AS __withdrawn
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
          FROM f1
          WHERE pane >= $low1::BIGINT) AS l
        JOIN (SELECT pane AS "__t_a",
            "a_ts",
            "a_k",
            "a_v"
          FROM h0
          WHERE pane >= $low0::BIGINT
          UNION ALL SELECT pane AS "__t_a",
            "a_ts",
            "a_k",
            "a_v"
          FROM f0
          WHERE pane >= $low0::BIGINT) AS r
        ON l."b_k" = r."a_k" AND l."__t_b" <= r."__t_a" + 5000000 AND r."__t_a" <= l."__t_b" + 5000000 AND (("a_v" > ("b_v" + CAST(5 AS DOUBLE)))))))

-- join: three, two optional
SELECT *
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
      ("__t_a" >= $live0::BIGINT AND "__t_b" >= $live1::BIGINT AND "__t_c" >= $live2::BIGINT) AS __given,
      false AS __withdrawn
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
          ON l."a_k" = r."c_k" AND l."__t_a" <= r."__t_c" + 4000000 AND r."__t_c" <= l."__t_a" + 3000000 AND l."__t_b" <= r."__t_c" + 7000000 AND r."__t_c" <= l."__t_b" + 5000000 AND (("a_v" > ("c_v" + CAST(2 AS DOUBLE)))))
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
          ON l."a_k" = r."c_k" AND l."__t_a" <= r."__t_c" + 4000000 AND r."__t_c" <= l."__t_a" + 3000000 AND l."__t_b" <= r."__t_c" + 7000000 AND r."__t_c" <= l."__t_b" + 5000000 AND (("a_v" > ("c_v" + CAST(2 AS DOUBLE)))))
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
            ON l."c_k" = r."a_k" AND l."__t_c" <= r."__t_a" + 3000000 AND r."__t_a" <= l."__t_c" + 4000000 AND (("a_v" > ("c_v" + CAST(2 AS DOUBLE))))) AS l
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
          ON l."a_k" = r."b_k" AND l."__t_a" <= r."__t_b" + 2000000 AND r."__t_b" <= l."__t_a" + 3000000 AND l."__t_c" <= r."__t_b" + 5000000 AND r."__t_b" <= l."__t_c" + 7000000))))
  WHERE __given

-- join: three, two optional, one child
SELECT *
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
      ("__t_a" >= $live0::BIGINT AND "__t_b" >= $live1::BIGINT AND "__t_c" >= $live2::BIGINT) AS __given,
      false AS __withdrawn
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
            ON l."c_k" = r."a_k" AND l."__t_c" <= r."__t_a" + 3000000 AND r."__t_a" <= l."__t_c" + 4000000 AND (("a_v" > ("c_v" + CAST(2 AS DOUBLE))))) AS l
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
          ON l."a_k" = r."b_k" AND l."__t_a" <= r."__t_b" + 2000000 AND r."__t_b" <= l."__t_a" + 3000000 AND l."__t_c" <= r."__t_b" + 5000000 AND r."__t_b" <= l."__t_c" + 7000000))))
  WHERE __given

-- join: three, one optional
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
    __ts,
    ("__t_a" >= $live0::BIGINT AND "__t_b" >= $live1::BIGINT AND "__t_c" >= $live2::BIGINT) AS __given,
    false AS __withdrawn
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
            FROM f0
            WHERE pane >= $low0::BIGINT) AS l
          JOIN (SELECT pane AS "__t_b",
              "b_ts",
              "b_k",
              "b_v"
            FROM h1
            WHERE pane >= $low1::BIGINT) AS r
          ON l."a_k" = r."b_k" AND l."__t_a" <= r."__t_b" + 2000000 AND r."__t_b" <= l."__t_a" + 3000000) AS l
        JOIN (SELECT pane AS "__t_c",
            "c_ts",
            "c_k",
            "c_v"
          FROM h2
          WHERE pane >= $low2::BIGINT) AS r
        ON l."a_k" = r."c_k" AND l."__t_a" <= r."__t_c" + 4000000 AND r."__t_c" <= l."__t_a" + 3000000 AND l."__t_b" <= r."__t_c" + 4000000 AND r."__t_c" <= l."__t_b" + 2000000 AND (("a_v" > ("c_v" + CAST(2 AS DOUBLE)))))
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
            FROM f1
            WHERE pane >= $low1::BIGINT) AS l
          JOIN (SELECT pane AS "__t_a",
              "a_ts",
              "a_k",
              "a_v"
            FROM h0
            WHERE pane >= $low0::BIGINT
            UNION ALL SELECT pane AS "__t_a",
              "a_ts",
              "a_k",
              "a_v"
            FROM f0
            WHERE pane >= $low0::BIGINT) AS r
          ON l."b_k" = r."a_k" AND l."__t_b" <= r."__t_a" + 3000000 AND r."__t_a" <= l."__t_b" + 2000000) AS l
        JOIN (SELECT pane AS "__t_c",
            "c_ts",
            "c_k",
            "c_v"
          FROM h2
          WHERE pane >= $low2::BIGINT) AS r
        ON l."a_k" = r."c_k" AND l."__t_a" <= r."__t_c" + 4000000 AND r."__t_c" <= l."__t_a" + 3000000 AND l."__t_b" <= r."__t_c" + 4000000 AND r."__t_c" <= l."__t_b" + 2000000 AND (("a_v" > ("c_v" + CAST(2 AS DOUBLE)))))
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
            FROM f2
            WHERE pane >= $low2::BIGINT) AS l
          JOIN (SELECT pane AS "__t_a",
              "a_ts",
              "a_k",
              "a_v"
            FROM h0
            WHERE pane >= $low0::BIGINT
            UNION ALL SELECT pane AS "__t_a",
              "a_ts",
              "a_k",
              "a_v"
            FROM f0
            WHERE pane >= $low0::BIGINT) AS r
          ON l."c_k" = r."a_k" AND l."__t_c" <= r."__t_a" + 3000000 AND r."__t_a" <= l."__t_c" + 4000000 AND (("a_v" > ("c_v" + CAST(2 AS DOUBLE))))) AS l
        JOIN (SELECT pane AS "__t_b",
            "b_ts",
            "b_k",
            "b_v"
          FROM h1
          WHERE pane >= $low1::BIGINT
          UNION ALL SELECT pane AS "__t_b",
            "b_ts",
            "b_k",
            "b_v"
          FROM f1
          WHERE pane >= $low1::BIGINT) AS r
        ON l."a_k" = r."b_k" AND l."__t_a" <= r."__t_b" + 2000000 AND r."__t_b" <= l."__t_a" + 3000000 AND l."__t_c" <= r."__t_b" + 2000000 AND r."__t_b" <= l."__t_c" + 4000000)))

-- join: three, one optional, one child
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
    __ts,
    ("__t_a" >= $live0::BIGINT AND "__t_b" >= $live1::BIGINT AND "__t_c" >= $live2::BIGINT) AS __given,
    false AS __withdrawn
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
            FROM f2
            WHERE pane >= $low2::BIGINT) AS l
          JOIN (SELECT pane AS "__t_a",
              "a_ts",
              "a_k",
              "a_v"
            FROM h0
            WHERE pane >= $low0::BIGINT
            UNION ALL SELECT pane AS "__t_a",
              "a_ts",
              "a_k",
              "a_v"
            FROM f0
            WHERE pane >= $low0::BIGINT) AS r
          ON l."c_k" = r."a_k" AND l."__t_c" <= r."__t_a" + 3000000 AND r."__t_a" <= l."__t_c" + 4000000 AND (("a_v" > ("c_v" + CAST(2 AS DOUBLE))))) AS l
        JOIN (SELECT pane AS "__t_b",
            "b_ts",
            "b_k",
            "b_v"
          FROM h1
          WHERE pane >= $low1::BIGINT
          UNION ALL SELECT pane AS "__t_b",
            "b_ts",
            "b_k",
            "b_v"
          FROM f1
          WHERE pane >= $low1::BIGINT) AS r
        ON l."a_k" = r."b_k" AND l."__t_a" <= r."__t_b" + 2000000 AND r."__t_b" <= l."__t_a" + 3000000 AND l."__t_c" <= r."__t_b" + 2000000 AND r."__t_b" <= l."__t_c" + 4000000)))

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

-- join: aggregate above, grouped
SELECT "__t_a",
    "__t_b",
    "__t_c",
    "a_site",
    "count_64d3797e",
    "dsum_ddd98ce4",
    "count_f6a7df80",
    "sum_cf4c10f4",
    "count_28c5b53d",
    "mean_87a4ae70",
    "m2_f2ea6aa0",
    "max_0c788a40",
    __rows,
    __ts,
    ("__t_a" >= $live0::BIGINT AND "__t_b" >= $live1::BIGINT AND "__t_c" >= $live2::BIGINT) AS __given
  FROM (SELECT *,
      greatest("__t_a", "__t_b", "__t_c") AS __ts
    FROM ((SELECT "__t_a",
          "__t_b",
          "__t_c",
          "a_site",
          l."count_64d3797e" * r.__rows AS "count_64d3797e",
          l."dsum_ddd98ce4" * r.__rows AS "dsum_ddd98ce4",
          l."count_f6a7df80" * r.__rows AS "count_f6a7df80",
          r."sum_cf4c10f4" * l.__rows AS "sum_cf4c10f4",
          r."count_28c5b53d" * l.__rows AS "count_28c5b53d",
          r."mean_87a4ae70" AS "mean_87a4ae70",
          r."m2_f2ea6aa0" * l.__rows AS "m2_f2ea6aa0",
          r."max_0c788a40" AS "max_0c788a40",
          l.__rows * r.__rows AS __rows
        FROM (SELECT "__t_a",
            "__t_b",
            "a_k",
            "a_site",
            "b_k",
            "count_64d3797e",
            "dsum_ddd98ce4",
            "count_f6a7df80",
            __rows
          FROM n0) AS l
        JOIN (SELECT pane AS "__t_c",
            "c_k",
            "sum_cf4c10f4",
            "count_28c5b53d",
            "mean_87a4ae70",
            "m2_f2ea6aa0",
            "max_0c788a40",
            __rows
          FROM h1
          WHERE pane >= $low2::BIGINT) AS r
        ON l."a_k" = r."c_k" AND l."__t_a" <= r."__t_c" + 5000000 AND r."__t_c" <= l."__t_a" + 5000000 AND l."__t_b" <= r."__t_c" + 5000000 AND r."__t_c" <= l."__t_b" + 5000000)
      UNION ALL (SELECT "__t_a",
          "__t_b",
          "__t_c",
          "a_site",
          r."count_64d3797e" * l.__rows AS "count_64d3797e",
          r."dsum_ddd98ce4" * l.__rows AS "dsum_ddd98ce4",
          r."count_f6a7df80" * l.__rows AS "count_f6a7df80",
          l."sum_cf4c10f4" * r.__rows AS "sum_cf4c10f4",
          l."count_28c5b53d" * r.__rows AS "count_28c5b53d",
          l."mean_87a4ae70" AS "mean_87a4ae70",
          l."m2_f2ea6aa0" * r.__rows AS "m2_f2ea6aa0",
          l."max_0c788a40" AS "max_0c788a40",
          l.__rows * r.__rows AS __rows
        FROM (SELECT pane AS "__t_c",
            "c_k",
            "sum_cf4c10f4",
            "count_28c5b53d",
            "mean_87a4ae70",
            "m2_f2ea6aa0",
            "max_0c788a40",
            __rows
          FROM f1
          WHERE pane >= $low2::BIGINT) AS l
        JOIN (SELECT "__t_a",
            "__t_b",
            "a_k",
            "a_site",
            "b_k",
            "count_64d3797e",
            "dsum_ddd98ce4",
            "count_f6a7df80",
            __rows
          FROM h0
          WHERE "__t_a" >= $low0::BIGINT AND "__t_b" >= $low1::BIGINT
          UNION ALL SELECT "__t_a",
            "__t_b",
            "a_k",
            "a_site",
            "b_k",
            "count_64d3797e",
            "dsum_ddd98ce4",
            "count_f6a7df80",
            __rows
          FROM n0) AS r
        ON l."c_k" = r."a_k" AND l."__t_c" <= r."__t_a" + 5000000 AND r."__t_a" <= l."__t_c" + 5000000 AND l."__t_c" <= r."__t_b" + 5000000 AND r."__t_b" <= l."__t_c" + 5000000)))

-- join: aggregate above, grouped, one child
SELECT "__t_a",
    "__t_b",
    "__t_c",
    "a_site",
    "count_64d3797e",
    "dsum_ddd98ce4",
    "count_f6a7df80",
    "sum_cf4c10f4",
    "count_28c5b53d",
    "mean_87a4ae70",
    "m2_f2ea6aa0",
    "max_0c788a40",
    __rows,
    __ts,
    ("__t_a" >= $live0::BIGINT AND "__t_b" >= $live1::BIGINT AND "__t_c" >= $live2::BIGINT) AS __given
  FROM (SELECT *,
      greatest("__t_a", "__t_b", "__t_c") AS __ts
    FROM ((SELECT "__t_a",
          "__t_b",
          "__t_c",
          "a_site",
          r."count_64d3797e" * l.__rows AS "count_64d3797e",
          r."dsum_ddd98ce4" * l.__rows AS "dsum_ddd98ce4",
          r."count_f6a7df80" * l.__rows AS "count_f6a7df80",
          l."sum_cf4c10f4" * r.__rows AS "sum_cf4c10f4",
          l."count_28c5b53d" * r.__rows AS "count_28c5b53d",
          l."mean_87a4ae70" AS "mean_87a4ae70",
          l."m2_f2ea6aa0" * r.__rows AS "m2_f2ea6aa0",
          l."max_0c788a40" AS "max_0c788a40",
          l.__rows * r.__rows AS __rows
        FROM (SELECT pane AS "__t_c",
            "c_k",
            "sum_cf4c10f4",
            "count_28c5b53d",
            "mean_87a4ae70",
            "m2_f2ea6aa0",
            "max_0c788a40",
            __rows
          FROM f1
          WHERE pane >= $low2::BIGINT) AS l
        JOIN (SELECT "__t_a",
            "__t_b",
            "a_k",
            "a_site",
            "b_k",
            "count_64d3797e",
            "dsum_ddd98ce4",
            "count_f6a7df80",
            __rows
          FROM h0
          WHERE "__t_a" >= $low0::BIGINT AND "__t_b" >= $low1::BIGINT
          UNION ALL SELECT "__t_a",
            "__t_b",
            "a_k",
            "a_site",
            "b_k",
            "count_64d3797e",
            "dsum_ddd98ce4",
            "count_f6a7df80",
            __rows
          FROM n0) AS r
        ON l."c_k" = r."a_k" AND l."__t_c" <= r."__t_a" + 5000000 AND r."__t_a" <= l."__t_c" + 5000000 AND l."__t_c" <= r."__t_b" + 5000000 AND r."__t_b" <= l."__t_c" + 5000000)))
