-- windows: odd names, level 2
SELECT r.*
  FROM rows AS r
  SEMI JOIN delta AS d
  ON r."__start" IS NOT DISTINCT FROM d."__start" AND r."the ""k""" IS NOT DISTINCT FROM d."the ""k""" AND r."It's" IS NOT DISTINCT FROM d."It's"
  WHERE r.revision >= 0

-- windows: two levels, filtered and revised, level 2
SELECT r.*
  FROM rows AS r
  SEMI JOIN delta AS d
  ON r."__start" IS NOT DISTINCT FROM d."__start" AND r."k" IS NOT DISTINCT FROM d."k"
  WHERE r.revision >= 0

-- windows: three levels, revised, level 2
SELECT r.*
  FROM rows AS r
  SEMI JOIN delta AS d
  ON r."__start" IS NOT DISTINCT FROM d."__start" AND r."k" IS NOT DISTINCT FROM d."k"
  WHERE r.revision >= 0

-- windows: three levels, revised, level 3
SELECT r.*
  FROM rows AS r
  SEMI JOIN delta AS d
  ON r."__start" IS NOT DISTINCT FROM d."__start" AND r."odd" IS NOT DISTINCT FROM d."odd"
  WHERE r.revision >= 0

-- windows: estimates of two levels, revised, level 2
SELECT r.*
  FROM rows AS r
  SEMI JOIN delta AS d
  ON r."__start" IS NOT DISTINCT FROM d."__start" AND r."k" IS NOT DISTINCT FROM d."k"
  WHERE r.revision >= 0
