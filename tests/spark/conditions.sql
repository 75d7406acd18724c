-- Conditions as SQL users write them, one a line. Spark, in ANSI mode, selects the same rows for each
-- that paimon-ksy does not refuse; see test_conditions.py for the columns.
status = 'PENDING'
status = 'PENDING' AND amount > 10 OR status IS NULL
status <> 'PENDING'
status IN ('PENDING', 'DONE')
status NOT IN ('PENDING', 'DONE')
status NOT IN ('PENDING', NULL)
status IS NULL
status IS NOT NULL
status LIKE 'P%'
status LIKE '%ING'
status LIKE 'D_NE'
status LIKE 'a!_%' ESCAPE '!'
status LIKE ANY ('P%', '%NE')
status LIKE ALL ('P%', '%NG')
status BETWEEN 'A' AND 'E'
status = 'it''s'
status <=> NULL
status IS DISTINCT FROM 'DONE'
startswith(status, 'PEN')
endswith(status, 'ING')
contains(status, 'O')
NOT (status = 'DONE' OR amount IS NULL)
amount = 1
1 < amount
amount BETWEEN 1 AND 100
amount IN (1, 2, 3)
amount NOT IN (1, 2, 3)
amount = 1.5
amount > 1.5
amount < 99999999999
amount = NULL
flag
NOT flag
flag IS TRUE
flag IN (true)
price = 10.50
price IN (10.50, 12.25)
d = 1.5
d < 0.5
d = double('NaN')
d >= double('NaN')
isnan(d)
d = 0.0
big > 3000000000
day = DATE '2024-02-29'
day BETWEEN DATE '2024-01-01' AND DATE '2024-12-31'
day IN (DATE '2024-02-29', DATE '1969-12-31')
ts = TIMESTAMP_NTZ '2024-03-31 02:30:00'
ts BETWEEN TIMESTAMP_NTZ '2024-01-01 00:00:00' AND TIMESTAMP_NTZ '2024-12-31 23:59:59'
ltz >= TIMESTAMP '2024-10-27 02:30:00'
ltz < TIMESTAMP '2024-03-31 12:00:00+02:00'
ltz = TIMESTAMP '2024-01-31 23:30:00Z'
m['k'] = 1
m['k'] IS NULL
1 = 1 AND amount = 1
true
s.aa = 1
s.aa > amount
s.bb = 'x' AND s.aa IS NOT NULL
s.bb LIKE 'x%'
S.AA IN (1, 2)
amount = other
amount <> other
amount < other
amount <=> other
amount > other OR status = 'DONE'
NOT (amount = other)
amount = big
amount < price
price > d
amount <= d
d = e
d < e
d <> e
day = day2
day < ts
day2 >= day
status = note
amount BETWEEN other AND 100
5 BETWEEN amount AND other
amount IN (other, 5)
amount + other > 10
amount - other = 0
amount * 2 = other
amount + 1 IN (2, 3)
-amount > -5
amount / 2 > 1
amount / 4 = 0.25
amount % 2 = 1
amount % 3 = -1
mod(amount, 2) = 0
amount div 2 = 1
(amount + other) / 2 > 4
big + 1 > 0 OR big IS NULL
price * 2 > 20
price + 0.5 = 11.00
price / 3 > 3.5
price / 4 = 2.625
price - d > 0
d * 2 > 3
d + e > 1
d / 2 < 1
abs(amount) = 7
abs(d) > 1
round(d) = 2
round(price) = 11
round(price, 1) = 12.3
round(d, 2) = 2.68
floor(price / 3) = 3
ceil(price) = 13
floor(price) = 10
sqrt(d) > 1.2
greatest(amount, other) > 5
least(amount, other) < 0
upper(status) = 'DONE'
upper(note) = 'STRASSE'
lower(status) IN ('pending', 'done')
lower(note) LIKE 'x%'
length(status) = 4
length(note) > 5
trim(note) = 'x'
substring(status, 1, 3) = 'PEN'
substring(status, -3, 2) = 'IN'
left(status, 2) = 'PE'
right(status, 3) = 'ING'
concat(status, '-', note) = 'DONE-x'
status || note = 'DONEx'
concat(status, amount) = 'DONE1'
replace(status, 'E', 'e') = 'DONe'
reverse(status) = 'ENOD'
instr(status, 'N') > 2
status ILIKE 'pend%'
note NOT ILIKE '%STRA%'
status RLIKE '^P.*G$'
status RLIKE '[0-9]+'
note NOT RLIKE '^x'
rlike(note, 'x.y')
concat_ws('-', status, note) = 'DONE-x'
coalesce(amount, 0) = 0
coalesce(status, note, 'none') = 'none'
nvl(amount, other) > 5
nullif(amount, 1) IS NULL
if(amount > 5, 'big', 'small') = 'big'
CASE WHEN amount > 5 THEN 'big' WHEN amount > 1 THEN 'mid' ELSE 'small' END = 'mid'
CASE status WHEN 'DONE' THEN 1 WHEN 'PENDING' THEN 2 END = 2
CASE WHEN other <> 0 THEN amount / other END > 1
other <> 0 AND amount / other > 1
year(day) = 2024
month(ts) = 3 AND day(ts) = 31
hour(ltz) = 2
hour(ts) < 12 OR minute(ts) = 30
quarter(day) = 1
dayofweek(day) = 5
weekofyear(day) = 9
extract(YEAR FROM ltz) = 2024
date_trunc('MONTH', ts) = TIMESTAMP_NTZ '2024-03-01 00:00:00'
date_trunc('DAY', ltz) = TIMESTAMP '2024-10-27 00:00:00'
trunc(day, 'MM') = DATE '2024-02-01'
date_format(ts, 'yyyy-MM') = '2024-03'
to_date(ltz) = DATE '2024-02-01'
CAST(ltz AS DATE) = day
date_add(day, 1) = DATE '2024-03-01'
date_sub(day, 30) > DATE '2024-01-15'
datediff(day, day2) > 10
add_months(day, 1) = DATE '2024-02-29'
day + INTERVAL 1 MONTH = DATE '2024-03-29'
ts + INTERVAL 1 HOUR > TIMESTAMP_NTZ '2024-03-31 03:00:00'
ltz - INTERVAL 1 DAY > TIMESTAMP '2024-10-26 00:00:00'
last_day(day) = DATE '2024-02-29'
day < current_date
day >= current_date - INTERVAL 30 DAYS
ltz > current_timestamp() - INTERVAL 1 DAY
date_sub(current_date(), 7) > day
CAST(amount AS STRING) = '1'
CAST(price AS INT) = 10
CASE WHEN d < 5 THEN CAST(d AS BIGINT) END = 1
CAST(note AS STRING) LIKE 'x%'
CAST(amount AS DOUBLE) / 2 = 0.5
CAST(digits AS INT) > 10
CAST(amount AS DECIMAL(10, 2)) = 1.00
size(tags) > 1
tags[0] = 'a'
array_contains(tags, 'b')
digits = 12
(amount + 1) IS NULL
isnull(amount + other)
(amount > 5) = flag
(amount = 1) IS NULL
upper(status) = 'DONE' OR amount = 7
amount = 1 AND (upper(status) = 'DONE' OR day = day2)
NOT (upper(status) LIKE 'D%' AND amount + other > 3)
md5(status) = 'x'
