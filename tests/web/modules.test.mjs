// Modules that need no browser: money and dates.
import assert from 'node:assert/strict';
import test from 'node:test';
import * as dates from '../../crates/web/assets/app/dates.js';
import * as money from '../../crates/web/assets/app/money.js';

test('cents are exact, whatever the size', () => {
  for (const [text, cents] of [
    ['0.00', 0n],
    ['12.34', 1234n],
    ['-0.05', -5n],
    ['9999999999.99', 999999999999n],
    ['90071992547409931.07', 9007199254740993107n],
    ['7', 700n],
    ['7.5', 750n],
  ]) {
    assert.equal(money.cents(text), cents);
  }
  for (const text of ['', '1,00', '1.234', 'NaN', '1e3']) assert.throws(() => money.cents(text), RangeError);
  for (const cents of [0n, 5n, -5n, 123456789n, -99n]) assert.equal(money.cents(money.decimal(cents)), cents);
});

test('amounts are written with a real minus and no place to break', () => {
  assert.equal(money.money('1234.50'), 'R$\u00a01.234,50');
  assert.equal(money.money('-1234.50'), '\u2212R$\u00a01.234,50');
  assert.equal(money.money(9007199254740993107n), 'R$\u00a090.071.992.547.409.931,07');
  assert.equal(money.amount('1234.5'), '1.234,50');
  assert.equal(money.percentage(14.65), '14,65%');
  assert.equal(money.percentage(-3), '\u22123%');
  money.numbersIn('en');
  assert.equal(money.money('-1234.50'), '\u2212R$\u00a01,234.50');
  assert.equal(money.amount('1234.5'), '1,234.50');
  assert.equal(money.read('1,234.50'), 123450n);
  assert.equal(money.read('1,234'), 123400n);
  assert.equal(money.read('12.345'), null, 'no thousands in English');
  assert.equal(money.rounded('3066.5'), '3,067');
  assert.equal(money.percentage(14.65), '14.65%');
  assert.equal(money.figure(6.5), '6.5');
  money.numbersIn('pt-BR');
  assert.equal(money.figure(6.5), '6,5');
});

test('amounts are read as people type them', () => {
  for (const [typed, cents] of [
    ['45,90', 4590n],
    ['45.9', 4590n],
    ['45', 4500n],
    ['1.234,56', 123456n],
    ['1,234.56', 123456n],
    ['1.234', 123400n],
    ['1.234.567', 123456700n],
    ['12+8,50', 2050n],
    ['12 + 8,50 - 0,50', 2000n],
    ['R$ 1.250,00', 125000n],
    ['-300', -30000n],
    ['\u2212300,5', -30050n],
    ['0.5', 50n],
    ['0,05', 5n],
    [',50', 50n],
  ])
    assert.equal(money.read(typed), cents, typed);
  for (const typed of ['', ' ', 'abc', '1,2,3', '12,345', '1.23.4', '12+', '1.2345,00', '5,', '--3', '1e5', '12,5,0'])
    assert.equal(money.read(typed), null, typed);
});

test('shares are rounded to whole percents', () => {
  assert.equal(money.percent(1n, 3n), 33);
  assert.equal(money.percent(24040n, 20000n), 120);
  assert.equal(money.percent(1n, 0n), 0);
});

test('no time zone moves a date', () => {
  assert.equal(dates.shortDate('pt-BR', '2026-01-31'), '31/01/2026');
  assert.equal(dates.addDays('2026-03-01', -1), '2026-02-28');
  assert.equal(dates.addDays('2024-02-28', 1), '2024-02-29');
  assert.equal(dates.daysBetween('2026-03-10', '2026-03-13'), 3);
  assert.equal(dates.addMonths('2026-01', -1), '2025-12');
  assert.equal(dates.addMonths('2026-12', 1), '2027-01');
  assert.equal(dates.dayIn('2026-02', 31), '2026-02-28');
  assert.equal(dates.monthName('pt-BR', '2026-03'), 'março de 2026');
  assert.equal(dates.monthName('en', '2026-03'), 'March 2026');
  assert.ok(dates.isMonth('2026-12') && !dates.isMonth('2026-13') && !dates.isMonth(null));
  assert.ok(dates.isMonth('1900-01') && dates.isMonth('2199-12'));
  assert.ok(!dates.isMonth('1899-12') && !dates.isMonth('2200-01') && !dates.isMonth('9999-12'));
});
