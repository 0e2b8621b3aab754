-- join: recall, revised, inner node, (a b)
SELECT least("__t_a" + 3000000, "__t_b" + 2000000) AS pane,
    *
  FROM ((SELECT "__t_a",
        "__t_b",
        "a_ts",
        "a_k",
        "a_v",
        "b_ts",
        "b_k",
        "b_v",
        greatest(l.__at, r.__at) AS __at
      FROM (SELECT pane AS "__t_a",
          "a_ts",
          "a_k",
          "a_v",
          __at
        FROM f0
        WHERE pane >= $low0::BIGINT) AS l
      JOIN (SELECT pane AS "__t_b",
          "b_ts",
          "b_k",
          "b_v",
          __at
        FROM h1
        WHERE pane >= $low1::BIGINT) AS r
      ON l."a_k" = r."b_k" AND l."__t_a" <= r."__t_b" + 2000000 AND r."__t_b" <= l."__t_a" + 3000000)
    UNION ALL (SELECT "__t_a",
        "__t_b",
        "a_ts",
        "a_k",
        "a_v",
        "b_ts",
        "b_k",
        "b_v",
        greatest(l.__at, r.__at) AS __at
      FROM (SELECT pane AS "__t_b",
          "b_ts",
          "b_k",
          "b_v",
          __at
        FROM f1
        WHERE pane >= $low1::BIGINT) AS l
      JOIN (SELECT pane AS "__t_a",
          "a_ts",
          "a_k",
          "a_v",
          __at
        FROM h0
        WHERE pane >= $low0::BIGINT
        UNION ALL SELECT pane AS "__t_a",
          "a_ts",
          "a_k",
          "a_v",
          __at
        FROM f0
        WHERE pane >= $low0::BIGINT) AS r
      ON l."b_k" = r."a_k" AND l."__t_b" <= r."__t_a" + 3000000 AND r."__t_a" <= l."__t_b" + 2000000))

-- join: recall, revised, inner node, (a b), one child
SELECT least("__t_a" + 3000000, "__t_b" + 2000000) AS pane,
    *
  FROM ((SELECT "__t_a",
        "__t_b",
        "a_ts",
        "a_k",
        "a_v",
        "b_ts",
        "b_k",
        "b_v",
        greatest(l.__at, r.__at) AS __at
      FROM (SELECT pane AS "__t_a",
          "a_ts",
          "a_k",
          "a_v",
          __at
        FROM f0
        WHERE pane >= $low0::BIGINT) AS l
      JOIN (SELECT pane AS "__t_b",
          "b_ts",
          "b_k",
          "b_v",
          __at
        FROM h1
        WHERE pane >= $low1::BIGINT) AS r
      ON l."a_k" = r."b_k" AND l."__t_a" <= r."__t_b" + 2000000 AND r."__t_b" <= l."__t_a" + 3000000))

-- join: three, inner node, ordered, (a b)
SELECT least("__t_a" + 3000000, "__t_b" + 2000000) AS pane,
    *
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
        FROM h0
        WHERE pane >= $after::BIGINT AND pane < $upto::BIGINT
        UNION ALL SELECT pane AS "__t_a",
          "a_ts",
          "a_k",
          "a_v"
        FROM f0
        WHERE pane < $upto::BIGINT) AS l
      JOIN (SELECT pane AS "__t_b",
          "b_ts",
          "b_k",
          "b_v"
        FROM h1
        WHERE pane < $after::BIGINT) AS r
      ON l."a_k" = r."b_k" AND l."__t_a" <= r."__t_b" + 2000000 AND r."__t_b" <= l."__t_a" + 3000000)
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
        FROM h1
        WHERE pane >= $after::BIGINT AND pane < $upto::BIGINT
        UNION ALL SELECT pane AS "__t_b",
          "b_ts",
          "b_k",
          "b_v"
        FROM f1
        WHERE pane < $upto::BIGINT) AS l
      JOIN (SELECT pane AS "__t_a",
          "a_ts",
          "a_k",
          "a_v"
        FROM h0
        WHERE pane < $after::BIGINT
        UNION ALL SELECT pane AS "__t_a",
          "a_ts",
          "a_k",
          "a_v"
        FROM h0
        WHERE pane >= $after::BIGINT AND pane < $upto::BIGINT
        UNION ALL SELECT pane AS "__t_a",
          "a_ts",
          "a_k",
          "a_v"
        FROM f0
        WHERE pane < $upto::BIGINT) AS r
      ON l."b_k" = r."a_k" AND l."__t_b" <= r."__t_a" + 3000000 AND r."__t_a" <= l."__t_b" + 2000000))

-- join: three, inner node, ordered, (a b), one child
SELECT least("__t_a" + 3000000, "__t_b" + 2000000) AS pane,
    *
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
        FROM h0
        WHERE pane >= $after::BIGINT AND pane < $upto::BIGINT
        UNION ALL SELECT pane AS "__t_a",
          "a_ts",
          "a_k",
          "a_v"
        FROM f0
        WHERE pane < $upto::BIGINT) AS l
      JOIN (SELECT pane AS "__t_b",
          "b_ts",
          "b_k",
          "b_v"
        FROM h1
        WHERE pane < $after::BIGINT) AS r
      ON l."a_k" = r."b_k" AND l."__t_a" <= r."__t_b" + 2000000 AND r."__t_b" <= l."__t_a" + 3000000))

-- join: four, bushy, (a b)
SELECT least("__t_a" + 5000000, "__t_b" + 5000000) AS pane,
    *
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
      ON l."b_k" = r."a_k" AND l."__t_b" <= r."__t_a" + 5000000 AND r."__t_a" <= l."__t_b" + 5000000))

-- join: four, bushy, (a b), one child
SELECT least("__t_a" + 5000000, "__t_b" + 5000000) AS pane,
    *
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
      ON l."a_k" = r."b_k" AND l."__t_a" <= r."__t_b" + 5000000 AND r."__t_b" <= l."__t_a" + 5000000))

-- join: four, bushy, (c d)
SELECT least("__t_c" + 5000000, "__t_d" + 5000000) AS pane,
    *
  FROM ((SELECT "__t_c",
        "__t_d",
        "c_ts",
        "c_k",
        "c_v",
        "d_ts",
        "d_k",
        "d_v"
      FROM (SELECT pane AS "__t_c",
          "c_ts",
          "c_k",
          "c_v"
        FROM f0) AS l
      JOIN (SELECT pane AS "__t_d",
          "d_ts",
          "d_k",
          "d_v"
        FROM h1) AS r
      ON l."c_k" = r."d_k" AND l."__t_c" <= r."__t_d" + 5000000 AND r."__t_d" <= l."__t_c" + 5000000)
    UNION ALL (SELECT "__t_c",
        "__t_d",
        "c_ts",
        "c_k",
        "c_v",
        "d_ts",
        "d_k",
        "d_v"
      FROM (SELECT pane AS "__t_d",
          "d_ts",
          "d_k",
          "d_v"
        FROM f1) AS l
      JOIN (SELECT pane AS "__t_c",
          "c_ts",
          "c_k",
          "c_v"
        FROM h0
        UNION ALL SELECT pane AS "__t_c",
          "c_ts",
          "c_k",
          "c_v"
        FROM f0) AS r
      ON l."d_k" = r."c_k" AND l."__t_d" <= r."__t_c" + 5000000 AND r."__t_c" <= l."__t_d" + 5000000))

-- join: four, bushy, (c d), one child
SELECT least("__t_c" + 5000000, "__t_d" + 5000000) AS pane,
    *
  FROM ((SELECT "__t_c",
        "__t_d",
        "c_ts",
        "c_k",
        "c_v",
        "d_ts",
        "d_k",
        "d_v"
      FROM (SELECT pane AS "__t_c",
          "c_ts",
          "c_k",
          "c_v"
        FROM f0) AS l
      JOIN (SELECT pane AS "__t_d",
          "d_ts",
          "d_k",
          "d_v"
        FROM h1) AS r
      ON l."c_k" = r."d_k" AND l."__t_c" <= r."__t_d" + 5000000 AND r."__t_d" <= l."__t_c" + 5000000))

-- join: aggregate above, (a b)
SELECT least("__t_a" + 5000000, "__t_b" + 5000000) AS pane,
    *
  FROM ((SELECT "__t_a",
        "__t_b",
        "a_k",
        "b_k"
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
        "b_k"
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
      ON l."b_k" = r."a_k" AND l."__t_b" <= r."__t_a" + 5000000 AND r."__t_a" <= l."__t_b" + 5000000 AND (("a_v" < "b_v"))))

-- join: aggregate above, (a b), one child
SELECT least("__t_a" + 5000000, "__t_b" + 5000000) AS pane,
    *
  FROM ((SELECT "__t_a",
        "__t_b",
        "a_k",
        "b_k"
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
      ON l."a_k" = r."b_k" AND l."__t_a" <= r."__t_b" + 5000000 AND r."__t_b" <= l."__t_a" + 5000000 AND (("a_v" < "b_v"))))

-- join: aggregate above, estimated, (a b)
SELECT least("__t_a" + 5000000, "__t_b" + 5000000) AS pane,
    *
  FROM ((SELECT "__t_a",
        "__t_b",
        "a_k",
        "b_k"
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
        "b_k"
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
      ON l."b_k" = r."a_k" AND l."__t_b" <= r."__t_a" + 5000000 AND r."__t_a" <= l."__t_b" + 5000000 AND (("a_v" < "b_v"))))

-- join: aggregate above, estimated, (a b), one child
SELECT least("__t_a" + 5000000, "__t_b" + 5000000) AS pane,
    *
  FROM ((SELECT "__t_a",
        "__t_b",
        "a_k",
        "b_k"
      FROM (SELECT pane AS "__t_a",
          "a_k",
          "a_v"
        FROM f0) AS l
      JOIN (SELECT pane AS "__t_b",
          "b_k",
          "b_v"
        FROM h1) AS r
      ON l."a_k" = r."b_k" AND l."__t_a" <= r."__t_b" + 5000000 AND r."__t_b" <= l."__t_a" + 5000000 AND (("a_v" < "b_v"))))

-- join: aggregate above, grouped, (a b)
SELECT least("__t_a" + 5000000, "__t_b" + 5000000) AS pane,
    *
  FROM ((SELECT "__t_a",
        "__t_b",
        "a_k",
        "a_site",
        "b_k",
        l."count_64d3797e" * r.__rows AS "count_64d3797e",
        r."dsum_ddd98ce4" * l.__rows AS "dsum_ddd98ce4",
        r."count_f6a7df80" * l.__rows AS "count_f6a7df80",
        l.__rows * r.__rows AS __rows
      FROM (SELECT pane AS "__t_a",
          "a_k",
          "a_i",
          "a_site",
          "count_64d3797e",
          __rows
        FROM f0
        WHERE pane >= $low0::BIGINT) AS l
      JOIN (SELECT pane AS "__t_b",
          "b_k",
          "b_i",
          "dsum_ddd98ce4",
          "count_f6a7df80",
          __rows
        FROM h1
        WHERE pane >= $low1::BIGINT) AS r
      ON l."a_k" = r."b_k" AND l."__t_a" <= r."__t_b" + 5000000 AND r."__t_b" <= l."__t_a" + 5000000 AND (("a_i" < "b_i")))
    UNION ALL (SELECT "__t_a",
        "__t_b",
        "a_k",
        "a_site",
        "b_k",
        r."count_64d3797e" * l.__rows AS "count_64d3797e",
        l."dsum_ddd98ce4" * r.__rows AS "dsum_ddd98ce4",
        l."count_f6a7df80" * r.__rows AS "count_f6a7df80",
        l.__rows * r.__rows AS __rows
      FROM (SELECT pane AS "__t_b",
          "b_k",
          "b_i",
          "dsum_ddd98ce4",
          "count_f6a7df80",
          __rows
        FROM f1
        WHERE pane >= $low1::BIGINT) AS l
      JOIN (SELECT pane AS "__t_a",
          "a_k",
          "a_i",
          "a_site",
          "count_64d3797e",
          __rows
        FROM h0
        WHERE pane >= $low0::BIGINT
        UNION ALL SELECT pane AS "__t_a",
          "a_k",
          "a_i",
          "a_site",
          "count_64d3797e",
          __rows
        FROM f0
        WHERE pane >= $low0::BIGINT) AS r
      ON l."b_k" = r."a_k" AND l."__t_b" <= r."__t_a" + 5000000 AND r."__t_a" <= l."__t_b" + 5000000 AND (("a_i" < "b_i"))))

-- join: aggregate above, grouped, (a b), one child
SELECT least("__t_a" + 5000000, "__t_b" + 5000000) AS pane,
    *
  FROM ((SELECT "__t_a",
        "__t_b",
        "a_k",
        "a_site",
        "b_k",
        l."count_64d3797e" * r.__rows AS "count_64d3797e",
        r."dsum_ddd98ce4" * l.__rows AS "dsum_ddd98ce4",
        r."count_f6a7df80" * l.__rows AS "count_f6a7df80",
        l.__rows * r.__rows AS __rows
      FROM (SELECT pane AS "__t_a",
          "a_k",
          "a_i",
          "a_site",
          "count_64d3797e",
          __rows
        FROM f0
        WHERE pane >= $low0::BIGINT) AS l
      JOIN (SELECT pane AS "__t_b",
          "b_k",
          "b_i",
          "dsum_ddd98ce4",
          "count_f6a7df80",
          __rows
        FROM h1
        WHERE pane >= $low1::BIGINT) AS r
      ON l."a_k" = r."b_k" AND l."__t_a" <= r."__t_b" + 5000000 AND r."__t_b" <= l."__t_a" + 5000000 AND (("a_i" < "b_i"))))
