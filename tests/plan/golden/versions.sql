-- windows: odd names, level 2
SELECT *
  FROM (SELECT *,
      row_number() OVER (PARTITION BY "__start", "the ""k""", "It's"
      ORDER BY abs(revision) DESC) AS __rank
    FROM (SELECT r.*
      FROM rows AS r
      SEMI JOIN delta AS d
      ON r."__start" IS NOT DISTINCT FROM d."__start" AND r."the ""k""" IS NOT DISTINCT FROM d."the ""k""" AND r."It's" IS NOT DISTINCT FROM d."It's"))
  WHERE __rank <= 2 AND revision >= 0

-- windows: two levels, filtered and revised, level 2
SELECT *
  FROM (SELECT *,
      row_number() OVER (PARTITION BY "__start", "k"
      ORDER BY abs(revision) DESC) AS __rank
    FROM (SELECT r.*
      FROM rows AS r
      SEMI JOIN delta AS d
      ON r."__start" IS NOT DISTINCT FROM d."__start" AND r."k" IS NOT DISTINCT FROM d."k"))
  WHERE __rank <= 2 AND revision >= 0

-- windows: three levels, revised, level 2
SELECT *
  FROM (SELECT *,
      row_number() OVER (PARTITION BY "__start", "k"
      ORDER BY abs(revision) DESC) AS __rank
    FROM (SELECT r.*
      FROM rows AS r
      SEMI JOIN delta AS d
      ON r."__start" IS NOT DISTINCT FROM d."__start" AND r."k" IS NOT DISTINCT FROM d."k"))
  WHERE __rank <= 2 AND revision >= 0

-- windows: three levels, revised, level 3
SELECT *
  FROM (SELECT *,
      row_number() OVER (PARTITION BY "__start", "odd"
      ORDER BY abs(revision) DESC) AS __rank
    FROM (SELECT r.*
      FROM rows AS r
      SEMI JOIN delta AS d
      ON r."__start" IS NOT DISTINCT FROM d."__start" AND r."odd" IS NOT DISTINCT FROM d."odd"))
  WHERE __rank <= 2 AND revision >= 0

-- windows: estimates of two levels, revised, level 2
SELECT *
  FROM (SELECT *,
      row_number() OVER (PARTITION BY "__start", "k"
      ORDER BY abs(revision) DESC) AS __rank
    FROM (SELECT r.*
      FROM rows AS r
      SEMI JOIN delta AS d
      ON r."__start" IS NOT DISTINCT FROM d."__start" AND r."k" IS NOT DISTINCT FROM d."k"))
  WHERE __rank <= 2 AND revision >= 0
