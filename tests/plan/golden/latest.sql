-- windows: odd names, level 2
SELECT *
  FROM (SELECT *,
      row_number() OVER (PARTITION BY "__start", "the ""k""", "It's"
      ORDER BY abs(revision) DESC) AS __rank
    FROM rows)
  WHERE __rank = 1 AND revision >= 0

-- windows: two levels, filtered and revised, level 2
SELECT *
  FROM (SELECT *,
      row_number() OVER (PARTITION BY "__start", "k"
      ORDER BY abs(revision) DESC) AS __rank
    FROM rows)
  WHERE __rank = 1 AND revision >= 0

-- windows: three levels, revised, level 2
SELECT *
  FROM (SELECT *,
      row_number() OVER (PARTITION BY "__start", "k"
      ORDER BY abs(revision) DESC) AS __rank
    FROM rows)
  WHERE __rank = 1 AND revision >= 0

-- windows: three levels, revised, level 3
SELECT *
  FROM (SELECT *,
      row_number() OVER (PARTITION BY "__start", "odd"
      ORDER BY abs(revision) DESC) AS __rank
    FROM rows)
  WHERE __rank = 1 AND revision >= 0

-- windows: estimates of two levels, revised, level 2
SELECT *
  FROM (SELECT *,
      row_number() OVER (PARTITION BY "__start", "k"
      ORDER BY abs(revision) DESC) AS __rank
    FROM rows)
  WHERE __rank = 1 AND revision >= 0
