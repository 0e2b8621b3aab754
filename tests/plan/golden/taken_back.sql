-- join: left, revised
SELECT *,
    __ts >= $after::BIGINT AS __given,
    false AS __withdrawn
  FROM ((WITH r AS MATERIALIZED (SELECT *,
          row_number() OVER () AS __id
        FROM (SELECT "__t_a",
            "a_ts",
            "a_k",
            "a_v",
            __ts
          FROM (SELECT *,
              "__t_a" + 5000000 AS __ts
            FROM (SELECT pane AS "__t_a",
                "a_ts",
                "a_k",
                "a_v"
              FROM f0
              UNION ALL SELECT pane AS "__t_a",
                "a_ts",
                "a_k",
                "a_v"
              FROM h0)
            WHERE "__t_a" + 5000000 >= $kept::BIGINT AND "__t_a" + 5000000 < $upto::BIGINT))), p1 AS (SELECT l.__id,
          r."__t_b",
          r."b_ts",
          r."b_k",
          r."b_v"
        FROM r AS l
        JOIN (SELECT pane AS "__t_b",
            "b_ts",
            "b_k",
            "b_v"
          FROM f1
          UNION ALL SELECT pane AS "__t_b",
            "b_ts",
            "b_k",
            "b_v"
          FROM h1) AS r
        ON l."a_k" = r."b_k" AND l."__t_a" <= r."__t_b" + 5000000 AND r."__t_b" <= l."__t_a" + 5000000 AND (("a_v" > ("b_v" + CAST(5 AS DOUBLE))))) SELECT r."__t_a",
        p1."__t_b",
        r."a_ts",
        r."a_k",
        r."a_v",
        p1."b_ts",
        p1."b_k",
        p1."b_v",
        r.__ts
      FROM r
      LEFT JOIN p1
      ON p1.__id = r.__id
      WHERE p1.__id IS NULL) EXCEPT ALL (WITH r AS MATERIALIZED (SELECT *,
          row_number() OVER () AS __id
        FROM (SELECT "__t_a",
            "a_ts",
            "a_k",
            "a_v",
            __ts
          FROM (SELECT *,
              "__t_a" + 5000000 AS __ts
            FROM (SELECT pane AS "__t_a",
                "a_ts",
                "a_k",
                "a_v"
              FROM h0)
            WHERE "__t_a" + 5000000 >= $kept::BIGINT AND "__t_a" + 5000000 < $after::BIGINT))), p1 AS (SELECT l.__id,
          r."__t_b",
          r."b_ts",
          r."b_k",
          r."b_v"
        FROM r AS l
        JOIN (SELECT pane AS "__t_b",
            "b_ts",
            "b_k",
            "b_v"
          FROM h1) AS r
        ON l."a_k" = r."b_k" AND l."__t_a" <= r."__t_b" + 5000000 AND r."__t_b" <= l."__t_a" + 5000000 AND (("a_v" > ("b_v" + CAST(5 AS DOUBLE))))) SELECT r."__t_a",
        p1."__t_b",
        r."a_ts",
        r."a_k",
        r."a_v",
        p1."b_ts",
        p1."b_k",
        p1."b_v",
        r.__ts
      FROM r
      LEFT JOIN p1
      ON p1.__id = r.__id
      WHERE p1.__id IS NULL))
  UNION ALL SELECT *,
    false AS __given,
    true AS __withdrawn
  FROM ((WITH r AS MATERIALIZED (SELECT *,
          row_number() OVER () AS __id
        FROM (SELECT "__t_a",
            "a_ts",
            "a_k",
            "a_v",
            __ts
          FROM (SELECT *,
              "__t_a" + 5000000 AS __ts
            FROM (SELECT pane AS "__t_a",
                "a_ts",
                "a_k",
                "a_v"
              FROM h0)
            WHERE "__t_a" + 5000000 >= $kept::BIGINT AND "__t_a" + 5000000 < $after::BIGINT))), p1 AS (SELECT l.__id,
          r."__t_b",
          r."b_ts",
          r."b_k",
          r."b_v"
        FROM r AS l
        JOIN (SELECT pane AS "__t_b",
            "b_ts",
            "b_k",
            "b_v"
          FROM h1) AS r
        ON l."a_k" = r."b_k" AND l."__t_a" <= r."__t_b" + 5000000 AND r."__t_b" <= l."__t_a" + 5000000 AND (("a_v" > ("b_v" + CAST(5 AS DOUBLE))))) SELECT r."__t_a",
        p1."__t_b",
        r."a_ts",
        r."a_k",
        r."a_v",
        p1."b_ts",
        p1."b_k",
        p1."b_v",
        r.__ts
      FROM r
      LEFT JOIN p1
      ON p1.__id = r.__id
      WHERE p1.__id IS NULL) EXCEPT ALL (WITH r AS MATERIALIZED (SELECT *,
          row_number() OVER () AS __id
        FROM (SELECT "__t_a",
            "a_ts",
            "a_k",
            "a_v",
            __ts
          FROM (SELECT *,
              "__t_a" + 5000000 AS __ts
            FROM (SELECT pane AS "__t_a",
                "a_ts",
                "a_k",
                "a_v"
              FROM f0
              UNION ALL SELECT pane AS "__t_a",
                "a_ts",
                "a_k",
                "a_v"
              FROM h0)
            WHERE "__t_a" + 5000000 >= $kept::BIGINT AND "__t_a" + 5000000 < $upto::BIGINT))), p1 AS (SELECT l.__id,
          r."__t_b",
          r."b_ts",
          r."b_k",
          r."b_v"
        FROM r AS l
        JOIN (SELECT pane AS "__t_b",
            "b_ts",
            "b_k",
            "b_v"
          FROM f1
          UNION ALL SELECT pane AS "__t_b",
            "b_ts",
            "b_k",
            "b_v"
          FROM h1) AS r
        ON l."a_k" = r."b_k" AND l."__t_a" <= r."__t_b" + 5000000 AND r."__t_b" <= l."__t_a" + 5000000 AND (("a_v" > ("b_v" + CAST(5 AS DOUBLE))))) SELECT r."__t_a",
        p1."__t_b",
        r."a_ts",
        r."a_k",
        r."a_v",
        p1."b_ts",
        p1."b_k",
        p1."b_v",
        r.__ts
      FROM r
      LEFT JOIN p1
      ON p1.__id = r.__id
      WHERE p1.__id IS NULL))

-- join: three, one optional
SELECT *,
    __ts >= $after::BIGINT AS __given,
    false AS __withdrawn
  FROM ((WITH r AS MATERIALIZED (SELECT *,
          row_number() OVER () AS __id
        FROM (SELECT "__t_a",
            "__t_b",
            "a_ts",
            "a_k",
            "a_v",
            "b_ts",
            "b_k",
            "b_v",
            __ts
          FROM (SELECT "__t_a",
              "__t_b",
              "a_ts",
              "a_k",
              "a_v",
              "b_ts",
              "b_k",
              "b_v",
              __ts
            FROM (SELECT *,
                "__t_a" + 3000000 AS __ts
              FROM (SELECT pane AS "__t_a",
                  "a_ts",
                  "a_k",
                  "a_v"
                FROM f0
                UNION ALL SELECT pane AS "__t_a",
                  "a_ts",
                  "a_k",
                  "a_v"
                FROM h0)
              WHERE "__t_a" + 3000000 >= $kept::BIGINT AND "__t_a" + 3000000 < $upto::BIGINT) AS l
            JOIN (SELECT pane AS "__t_b",
                "b_ts",
                "b_k",
                "b_v"
              FROM f1
              UNION ALL SELECT pane AS "__t_b",
                "b_ts",
                "b_k",
                "b_v"
              FROM h1) AS r
            ON l."a_k" = r."b_k" AND l."__t_a" <= r."__t_b" + 2000000 AND r."__t_b" <= l."__t_a" + 3000000 AND r."__t_b" + 2000000 >= l.__ts)
          UNION ALL SELECT "__t_a",
            "__t_b",
            "a_ts",
            "a_k",
            "a_v",
            "b_ts",
            "b_k",
            "b_v",
            __ts
          FROM (SELECT "__t_a",
              "__t_b",
              "a_ts",
              "a_k",
              "a_v",
              "b_ts",
              "b_k",
              "b_v",
              __ts
            FROM (SELECT *,
                "__t_b" + 2000000 AS __ts
              FROM (SELECT pane AS "__t_b",
                  "b_ts",
                  "b_k",
                  "b_v"
                FROM f1
                UNION ALL SELECT pane AS "__t_b",
                  "b_ts",
                  "b_k",
                  "b_v"
                FROM h1)
              WHERE "__t_b" + 2000000 >= $kept::BIGINT AND "__t_b" + 2000000 < $upto::BIGINT) AS l
            JOIN (SELECT pane AS "__t_a",
                "a_ts",
                "a_k",
                "a_v"
              FROM f0
              UNION ALL SELECT pane AS "__t_a",
                "a_ts",
                "a_k",
                "a_v"
              FROM h0) AS r
            ON l."b_k" = r."a_k" AND l."__t_b" <= r."__t_a" + 3000000 AND r."__t_a" <= l."__t_b" + 2000000 AND r."__t_a" + 3000000 > l.__ts))), p2 AS (SELECT l.__id,
          r."__t_c",
          r."c_ts",
          r."c_k",
          r."c_v"
        FROM r AS l
        JOIN (SELECT pane AS "__t_c",
            "c_ts",
            "c_k",
            "c_v"
          FROM f2
          UNION ALL SELECT pane AS "__t_c",
            "c_ts",
            "c_k",
            "c_v"
          FROM h2) AS r
        ON l."a_k" = r."c_k" AND l."__t_a" <= r."__t_c" + 4000000 AND r."__t_c" <= l."__t_a" + 3000000 AND l."__t_b" <= r."__t_c" + 4000000 AND r."__t_c" <= l."__t_b" + 2000000 AND (("a_v" > ("c_v" + CAST(2 AS DOUBLE))))) SELECT r."__t_a",
        r."__t_b",
        p2."__t_c",
        r."a_ts",
        r."a_k",
        r."a_v",
        r."b_ts",
        r."b_k",
        r."b_v",
        p2."c_ts",
        p2."c_k",
        p2."c_v",
        r.__ts
      FROM r
      LEFT JOIN p2
      ON p2.__id = r.__id
      WHERE p2.__id IS NULL) EXCEPT ALL (WITH r AS MATERIALIZED (SELECT *,
          row_number() OVER () AS __id
        FROM (SELECT "__t_a",
            "__t_b",
            "a_ts",
            "a_k",
            "a_v",
            "b_ts",
            "b_k",
            "b_v",
            __ts
          FROM (SELECT "__t_a",
              "__t_b",
              "a_ts",
              "a_k",
              "a_v",
              "b_ts",
              "b_k",
              "b_v",
              __ts
            FROM (SELECT *,
                "__t_a" + 3000000 AS __ts
              FROM (SELECT pane AS "__t_a",
                  "a_ts",
                  "a_k",
                  "a_v"
                FROM h0)
              WHERE "__t_a" + 3000000 >= $kept::BIGINT AND "__t_a" + 3000000 < $after::BIGINT) AS l
            JOIN (SELECT pane AS "__t_b",
                "b_ts",
                "b_k",
                "b_v"
              FROM h1) AS r
            ON l."a_k" = r."b_k" AND l."__t_a" <= r."__t_b" + 2000000 AND r."__t_b" <= l."__t_a" + 3000000 AND r."__t_b" + 2000000 >= l.__ts)
          UNION ALL SELECT "__t_a",
            "__t_b",
            "a_ts",
            "a_k",
            "a_v",
            "b_ts",
            "b_k",
            "b_v",
            __ts
          FROM (SELECT "__t_a",
              "__t_b",
              "a_ts",
              "a_k",
              "a_v",
              "b_ts",
              "b_k",
              "b_v",
              __ts
            FROM (SELECT *,
                "__t_b" + 2000000 AS __ts
              FROM (SELECT pane AS "__t_b",
                  "b_ts",
                  "b_k",
                  "b_v"
                FROM h1)
              WHERE "__t_b" + 2000000 >= $kept::BIGINT AND "__t_b" + 2000000 < $after::BIGINT) AS l
            JOIN (SELECT pane AS "__t_a",
                "a_ts",
                "a_k",
                "a_v"
              FROM h0) AS r
            ON l."b_k" = r."a_k" AND l."__t_b" <= r."__t_a" + 3000000 AND r."__t_a" <= l."__t_b" + 2000000 AND r."__t_a" + 3000000 > l.__ts))), p2 AS (SELECT l.__id,
          r."__t_c",
          r."c_ts",
          r."c_k",
          r."c_v"
        FROM r AS l
        JOIN (SELECT pane AS "__t_c",
            "c_ts",
            "c_k",
            "c_v"
          FROM h2) AS r
        ON l."a_k" = r."c_k" AND l."__t_a" <= r."__t_c" + 4000000 AND r."__t_c" <= l."__t_a" + 3000000 AND l."__t_b" <= r."__t_c" + 4000000 AND r."__t_c" <= l."__t_b" + 2000000 AND (("a_v" > ("c_v" + CAST(2 AS DOUBLE))))) SELECT r."__t_a",
        r."__t_b",
        p2."__t_c",
        r."a_ts",
        r."a_k",
        r."a_v",
        r."b_ts",
        r."b_k",
        r."b_v",
        p2."c_ts",
        p2."c_k",
        p2."c_v",
        r.__ts
      FROM r
      LEFT JOIN p2
      ON p2.__id = r.__id
      WHERE p2.__id IS NULL))
  UNION ALL SELECT *,
    false AS __given,
    true AS __withdrawn
  FROM ((WITH r AS MATERIALIZED (SELECT *,
          row_number() OVER () AS __id
        FROM (SELECT "__t_a",
            "__t_b",
            "a_ts",
            "a_k",
            "a_v",
            "b_ts",
            "b_k",
            "b_v",
            __ts
          FROM (SELECT "__t_a",
              "__t_b",
              "a_ts",
              "a_k",
              "a_v",
              "b_ts",
              "b_k",
              "b_v",
              __ts
            FROM (SELECT *,
                "__t_a" + 3000000 AS __ts
              FROM (SELECT pane AS "__t_a",
                  "a_ts",
                  "a_k",
                  "a_v"
                FROM h0)
              WHERE "__t_a" + 3000000 >= $kept::BIGINT AND "__t_a" + 3000000 < $after::BIGINT) AS l
            JOIN (SELECT pane AS "__t_b",
                "b_ts",
                "b_k",
                "b_v"
              FROM h1) AS r
            ON l."a_k" = r."b_k" AND l."__t_a" <= r."__t_b" + 2000000 AND r."__t_b" <= l."__t_a" + 3000000 AND r."__t_b" + 2000000 >= l.__ts)
          UNION ALL SELECT "__t_a",
            "__t_b",
            "a_ts",
            "a_k",
            "a_v",
            "b_ts",
            "b_k",
            "b_v",
            __ts
          FROM (SELECT "__t_a",
              "__t_b",
              "a_ts",
              "a_k",
              "a_v",
              "b_ts",
              "b_k",
              "b_v",
              __ts
            FROM (SELECT *,
                "__t_b" + 2000000 AS __ts
              FROM (SELECT pane AS "__t_b",
                  "b_ts",
                  "b_k",
                  "b_v"
                FROM h1)
              WHERE "__t_b" + 2000000 >= $kept::BIGINT AND "__t_b" + 2000000 < $after::BIGINT) AS l
            JOIN (SELECT pane AS "__t_a",
                "a_ts",
                "a_k",
                "a_v"
              FROM h0) AS r
            ON l."b_k" = r."a_k" AND l."__t_b" <= r."__t_a" + 3000000 AND r."__t_a" <= l."__t_b" + 2000000 AND r."__t_a" + 3000000 > l.__ts))), p2 AS (SELECT l.__id,
          r."__t_c",
          r."c_ts",
          r."c_k",
          r."c_v"
        FROM r AS l
        JOIN (SELECT pane AS "__t_c",
            "c_ts",
            "c_k",
            "c_v"
          FROM h2) AS r
        ON l."a_k" = r."c_k" AND l."__t_a" <= r."__t_c" + 4000000 AND r."__t_c" <= l."__t_a" + 3000000 AND l."__t_b" <= r."__t_c" + 4000000 AND r."__t_c" <= l."__t_b" + 2000000 AND (("a_v" > ("c_v" + CAST(2 AS DOUBLE))))) SELECT r."__t_a",
        r."__t_b",
        p2."__t_c",
        r."a_ts",
        r."a_k",
        r."a_v",
        r."b_ts",
        r."b_k",
        r."b_v",
        p2."c_ts",
        p2."c_k",
        p2."c_v",
        r.__ts
      FROM r
      LEFT JOIN p2
      ON p2.__id = r.__id
      WHERE p2.__id IS NULL) EXCEPT ALL (WITH r AS MATERIALIZED (SELECT *,
          row_number() OVER () AS __id
        FROM (SELECT "__t_a",
            "__t_b",
            "a_ts",
            "a_k",
            "a_v",
            "b_ts",
            "b_k",
            "b_v",
            __ts
          FROM (SELECT "__t_a",
              "__t_b",
              "a_ts",
              "a_k",
              "a_v",
              "b_ts",
              "b_k",
              "b_v",
              __ts
            FROM (SELECT *,
                "__t_a" + 3000000 AS __ts
              FROM (SELECT pane AS "__t_a",
                  "a_ts",
                  "a_k",
                  "a_v"
                FROM f0
                UNION ALL SELECT pane AS "__t_a",
                  "a_ts",
                  "a_k",
                  "a_v"
                FROM h0)
              WHERE "__t_a" + 3000000 >= $kept::BIGINT AND "__t_a" + 3000000 < $upto::BIGINT) AS l
            JOIN (SELECT pane AS "__t_b",
                "b_ts",
                "b_k",
                "b_v"
              FROM f1
              UNION ALL SELECT pane AS "__t_b",
                "b_ts",
                "b_k",
                "b_v"
              FROM h1) AS r
            ON l."a_k" = r."b_k" AND l."__t_a" <= r."__t_b" + 2000000 AND r."__t_b" <= l."__t_a" + 3000000 AND r."__t_b" + 2000000 >= l.__ts)
          UNION ALL SELECT "__t_a",
            "__t_b",
            "a_ts",
            "a_k",
            "a_v",
            "b_ts",
            "b_k",
            "b_v",
            __ts
          FROM (SELECT "__t_a",
              "__t_b",
              "a_ts",
              "a_k",
              "a_v",
              "b_ts",
              "b_k",
              "b_v",
              __ts
            FROM (SELECT *,
                "__t_b" + 2000000 AS __ts
              FROM (SELECT pane AS "__t_b",
                  "b_ts",
                  "b_k",
                  "b_v"
                FROM f1
                UNION ALL SELECT pane AS "__t_b",
                  "b_ts",
                  "b_k",
                  "b_v"
                FROM h1)
              WHERE "__t_b" + 2000000 >= $kept::BIGINT AND "__t_b" + 2000000 < $upto::BIGINT) AS l
            JOIN (SELECT pane AS "__t_a",
                "a_ts",
                "a_k",
                "a_v"
              FROM f0
              UNION ALL SELECT pane AS "__t_a",
                "a_ts",
                "a_k",
                "a_v"
              FROM h0) AS r
            ON l."b_k" = r."a_k" AND l."__t_b" <= r."__t_a" + 3000000 AND r."__t_a" <= l."__t_b" + 2000000 AND r."__t_a" + 3000000 > l.__ts))), p2 AS (SELECT l.__id,
          r."__t_c",
          r."c_ts",
          r."c_k",
          r."c_v"
        FROM r AS l
        JOIN (SELECT pane AS "__t_c",
            "c_ts",
            "c_k",
            "c_v"
          FROM f2
          UNION ALL SELECT pane AS "__t_c",
            "c_ts",
            "c_k",
            "c_v"
          FROM h2) AS r
        ON l."a_k" = r."c_k" AND l."__t_a" <= r."__t_c" + 4000000 AND r."__t_c" <= l."__t_a" + 3000000 AND l."__t_b" <= r."__t_c" + 4000000 AND r."__t_c" <= l."__t_b" + 2000000 AND (("a_v" > ("c_v" + CAST(2 AS DOUBLE))))) SELECT r."__t_a",
        r."__t_b",
        p2."__t_c",
        r."a_ts",
        r."a_k",
        r."a_v",
        r."b_ts",
        r."b_k",
        r."b_v",
        p2."c_ts",
        p2."c_k",
        p2."c_v",
        r.__ts
      FROM r
      LEFT JOIN p2
      ON p2.__id = r.__id
      WHERE p2.__id IS NULL))
