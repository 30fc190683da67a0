import { PatchApp } from '@herald/contracts/administration'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { fieldOf, settingsOf, splitWindow, textsOf, type EditedApp } from './app-settings.ts'

const time = fc.integer({ min: 0, max: 1439 }).map((minutes) => new Date(minutes * 60_000).toISOString().slice(11, 16))
const app: fc.Arbitrary<EditedApp> = fc.record({
  name: fc.constantFrom('Shop', 'Über'),
  settings: fc.record({
    defaultTimezone: fc.constantFrom('UTC', 'Europe/Vienna'),
    frequencyCap: fc.option(fc.record({ max: fc.integer({ min: 1, max: 1000 }), windowSeconds: fc.integer({ min: 1, max: 30 * 86_400 }) })),
    quietHours: fc.option(fc.record({ start: time, end: time, action: fc.constantFrom('hold' as const, 'skip' as const) })),
    approval: fc.option(fc.record({ devices: fc.nat() })),
    attribution: fc.record({ directHours: fc.integer({ min: 1, max: 720 }), influencedHours: fc.integer({ min: 0, max: 168 }) }),
    conversions: fc.record({ publicValues: fc.boolean() }),
    inboxDays: fc.integer({ min: 1, max: 90 }),
    holdout: fc.option(fc.record({ percent: fc.integer({ min: 1, max: 200 }).map((tenths) => tenths / 10) })),
  }),
})

// spec: administration/settings
test('settings of an app are unchanged when the form shows them and saves them again', () => {
  fc.assert(
    fc.property(app, (given) => {
      expect(settingsOf(textsOf(given))).toEqual(given)
    }),
  )
})

test('the window of the frequency cap is shown in the largest unit in which it is a whole number', () => {
  expect([86_400, 7_200, 5_400, 90, 172_800].map(splitWindow)).toEqual([
    { count: 1, unit: 'days' },
    { count: 2, unit: 'hours' },
    { count: 90, unit: 'minutes' },
    { count: 90, unit: 'seconds' },
    { count: 2, unit: 'days' },
  ])
})

test("the mistakes that the API finds in an app's settings are shown at the fields of the form", () => {
  const texts = {
    ...textsOf({
      name: 'Shop',
      settings: {
        ...{ defaultTimezone: 'UTC', frequencyCap: null, quietHours: null, approval: null, holdout: null },
        ...{ attribution: { directHours: 24, influencedHours: 1 }, conversions: { publicValues: false }, inboxDays: 30 },
      },
    }),
    ...{ hasHoldout: true, holdoutPercent: '50', inboxDays: '0', directHours: 'x', influencedHours: '1000' },
    hasCap: true,
    hasQuietHours: true,
    needsApproval: true,
    approvalDevices: 'many',
  }
  const sent: unknown = JSON.parse(
    JSON.stringify(
      settingsOf({ ...texts, name: '', defaultTimezone: 'Mars', capMax: 'x', capCount: '0', quietStart: '25:00', quietEnd: '' }),
    ),
  )
  const paths = PatchApp.safeParse(sent).error?.issues.map(({ path }) => path.join('.'))
  expect(paths?.length).toBeGreaterThan(9)
  expect(paths?.filter((path) => fieldOf(path) === undefined)).toEqual([])
})
