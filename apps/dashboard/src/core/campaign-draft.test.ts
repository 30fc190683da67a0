import { CreateCampaign } from '@herald/contracts/campaign'
import { visible } from '@herald/contracts/text'
import { parseBody } from '@herald/contracts/validate'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  addVariant,
  beginExperiment,
  bodyOfDraft,
  draftOfCampaign,
  emptyDraft,
  endExperiment,
  isUntouched,
  nameOf,
  type CampaignRead,
} from './campaign-draft.ts'
import { addLocale, changeEntry, contentOfDraft, draftOfContent, emptyContent, newActionId, removeLocale } from './content-draft.ts'
import { emptyOptions, optionsOfDraft, twiceIn } from './send-options-draft.ts'

const sentence = (maxLength: number) =>
  fc.string({ minLength: 1, maxLength, unit: 'grapheme-composite' }).filter((text) => text.trim() !== '' && !/\{[{%]|\0/.test(text))
const link = fc.constantFrom('https://shop.example/a', 'shop://cart', 'https://shop.example/{{ user.id }}')
const action = (id: string) => fc.record({ id: fc.constant(id), title: sentence(10), url: link }, { requiredKeys: ['id', 'title'] })
const entry = fc.record(
  {
    title: sentence(30),
    body: sentence(60),
    url: link,
    image: fc.constant('https://cdn.example/a.png'),
    actions: fc.tuple(action('one'), action('two')).map((both) => [...both]),
  },
  { requiredKeys: ['title', 'body'] },
)
const content = fc
  .uniqueArray(fc.constantFrom('en', 'de', 'pt-BR', 'zh-Hant-TW', 'ar'), { minLength: 1, maxLength: 4 })
  .chain((locales) => fc.tuple(fc.constantFrom(...locales), ...locales.map((locale) => entry.map((one) => [locale, one] as const))))
  .map(([fallback, ...entries]) => ({ _default: fallback, ...Object.fromEntries(entries) }))
const data = fc.dictionary(
  fc.stringMatching(/^[a-z]{1,8}$/).filter((key) => !['aps', 'herald', 'from', 'gcm'].includes(key)),
  fc.string({ maxLength: 20 }).filter((text) => !text.includes('\0')),
  { noNullPrototype: true, maxKeys: 5 },
)
const presentation = fc
  .record(
    {
      sound: fc.constant('chime'),
      badge: fc.integer({ min: 0, max: 99_999 }),
      badgeIncrement: fc.integer({ min: 1, max: 1_000 }),
      threadId: fc.constant('orders'),
      icon: fc.constant('ic_bell'),
      interruptionLevel: fc.constantFrom('passive', 'active', 'time-sensitive', 'critical'),
      relevanceScore: fc.constantFrom(0, 0.5, 1),
      channelId: fc.constant('offers'),
    },
    { requiredKeys: [] },
  )
  // A badge and an increment exclude each other.
  .map(({ badgeIncrement, ...rest }) => (rest.badge === undefined && badgeIncrement !== undefined ? { ...rest, badgeIncrement } : rest))
const overrides = fc.record(
  {
    ios: fc.constant({ aps: { category: 'ORDER', alert: { subtitle: 'Größe {{ x }}' } } }),
    android: fc.constantFrom({}, { direct_boot_ok: true, notification: { click_action: 'OPEN', sound: null } }),
    web: fc.constant({ renotify: true, vibrate: [100, 50], silent: null }),
  },
  { requiredKeys: [], noNullPrototype: true },
)
const schedule = fc.oneof(
  fc.constant({ type: 'now' }),
  fc
    .date({ min: new Date('2026-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
    .map((at) => ({ type: 'at', at: at.toISOString() })),
  fc.constantFrom('00:00', '23:59').map((localTime) => ({ type: 'user_timezone', localTime })),
  fc
    .constantFrom({}, { lateMinutes: 0 }, { lateMinutes: 90 })
    .map((late) => ({ type: 'user_timezone', localTime: '09:00', date: '2026-12-04', ...late })),
  fc.record(
    {
      type: fc.constant('recurring'),
      every: fc.constantFrom('day', 'week'),
      daysOfWeek: fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 7 }),
      localTime: fc.constant('09:30'),
      timezone: fc.constantFrom('Europe/Vienna', 'UTC'),
      interval: fc.constant(2),
      startDate: fc.constant('2026-12-01'),
      except: fc.constant(['2026-12-24']),
      maxRuns: fc.constant(10),
      until: fc.constant('2029-12-31T00:00:00.123Z'),
    },
    { requiredKeys: ['type', 'every', 'localTime', 'timezone'] },
  ),
)
const campaign = fc
  .record(
    {
      name: sentence(40).filter(visible[0]),
      content,
      templateId: fc.constant('671a2b3c4d5e6f7081920a04'),
      segmentId: fc.constant('671a2b3c4d5e6f7081920a03'),
      segment: fc.constant({
        or: [{ field: 'platform', op: 'eq', value: 'ios' }, { not: { field: 'tags.plan', op: 'exists', value: true } }],
      }),
      experiment: fc.record({
        sampleRate: fc.constantFrom(0.01, 0.5, 1),
        variants: fc.tuple(content, content).map(([one, other]) => [
          { id: 'a', name: 'Short', weight: 1, content: one },
          { id: 'b', name: 'Long', weight: 2.5, content: other },
        ]),
        auto: fc.constantFrom(
          undefined,
          { metric: 'open', afterMinutes: 240, ifInconclusive: 'none' },
          {
            metric: 'conversion',
            conversion: 'order',
            afterMinutes: 60,
            minMinutes: 30,
            alpha: 0.1,
            minUsers: 200,
            ifInconclusive: 'best',
          },
        ),
      }),
      category: fc.constant('offers'),
      inbox: fc.constant(true),
      silent: fc.boolean(),
      data,
      ttl: fc.integer({ min: 0, max: 2_419_200 }),
      collapseId: fc.constant('order-17'),
      priority: fc.constantFrom('high', 'normal'),
      presentation,
      overrides,
      sendRate: fc.record({ perMinute: fc.integer({ min: 60, max: 6_000_000 }) }),
      bypass: fc.record(
        { frequencyCap: fc.constant(true), quietHours: fc.constant(true), holdout: fc.constant(true) },
        { requiredKeys: [] },
      ),
      schedule,
    },
    { requiredKeys: ['name', 'content', 'schedule'] },
  )
  .map(({ segment, segmentId, experiment, inbox, ...rest }) => ({
    ...rest,
    ...(inbox === undefined || rest.silent === true ? {} : { inbox }),
    ...(segmentId === undefined ? (segment === undefined ? {} : { segment }) : { segmentId }),
    // With an experiment every device gets a variant, so a page saves the first variant's text as the campaign's content too.
    ...(experiment === undefined || rest.silent === true
      ? {}
      : {
          // An experiment with everybody in its sample has nobody left for a winner.
          experiment: experiment.sampleRate === 1 ? { ...experiment, auto: undefined } : experiment,
          content: experiment.variants[0]?.content ?? rest.content,
        }),
  }))

/** Gives a campaign as the API answers it: a field that was not set is null or has its default. */
function answered(body: unknown): CampaignRead {
  const made = parseBody(CreateCampaign, body)
  return {
    name: made.name,
    segment: made.segment ?? null,
    segmentId: made.segmentId ?? null,
    templateId: made.templateId ?? null,
    content: made.content ?? null,
    experiment: made.experiment ?? null,
    schedule: made.schedule,
    silent: made.silent ?? false,
    data: made.data ?? {},
    ttl: made.ttl ?? 2_419_200,
    collapseId: made.collapseId ?? null,
    priority: made.priority ?? 'high',
    presentation: made.presentation && Object.keys(made.presentation).length > 0 ? made.presentation : null,
    overrides: made.overrides && Object.keys(made.overrides).length > 0 ? made.overrides : null,
    category: made.category ?? null,
    inbox: made.inbox ?? false,
    sendRate: made.sendRate ?? null,
    bypass: made.bypass ?? {},
  }
}

// spec: dashboard/draft-lossless
test('a campaign is unchanged when it is opened in the editor and saved again', () => {
  fc.assert(
    fc.property(campaign, (given) => {
      const read = answered(given)
      expect(answered(bodyOfDraft(draftOfCampaign(read)))).toEqual(read)
    }),
    { numRuns: 500 },
  )
})

test('a draft is named after its title, cut to 200 characters, until the operator gives it a name', () => {
  expect(nameOf(emptyDraft)).toBe('Untitled message')
  const titled = { ...emptyDraft, content: changeEntry(emptyDraft.content, 'en', { title: ' Sale ' }) }
  expect(nameOf(titled)).toBe('Sale')
  expect(nameOf({ ...titled, name: 'Weekend' })).toBe('Weekend')
  expect(nameOf({ ...titled, content: changeEntry(emptyDraft.content, 'en', { title: '😀'.repeat(250) }) })).toBe('😀'.repeat(200))
})

// spec: dashboard/draft-name-follows
test('a draft named after its title stays so when stored, without placeholders; a written name stays', () => {
  const titled = (title: string) => ({ ...emptyDraft, content: changeEntry(emptyDraft.content, 'en', { title, body: 'B' }) })
  const hello = titled('Hello {{ tags.name | default: "you" }}, welcome')
  expect(nameOf(hello)).toBe('Hello, welcome')
  const again = (draft: typeof hello) =>
    draftOfCampaign({
      ttl: 60,
      segmentId: null,
      templateId: null,
      content: null,
      experiment: null,
      bypass: {},
      ...bodyOfDraft(draft),
    })
  expect(again(hello).name).toBe('')
  expect(again({ ...hello, name: 'Weekend' }).name).toBe('Weekend')
})

test('a message in which nothing is written, and which is not silent, is not saved', () => {
  expect(isUntouched(emptyDraft)).toBe(true)
  expect(isUntouched({ ...emptyDraft, content: changeEntry(emptyDraft.content, 'en', { body: 'x' }) })).toBe(false)
  expect(isUntouched({ ...emptyDraft, silent: true })).toBe(false)
})

test('a silent message without texts is saved without content', () => {
  expect(bodyOfDraft({ ...emptyDraft, silent: true })).not.toHaveProperty('content')
  expect(bodyOfDraft(emptyDraft)).toHaveProperty('content')
})

// spec: dashboard/draft-as-shown, content/template-merge
test('with a template a message gives its ttl, presentation and overrides also when empty, so none comes from it', () => {
  const made = parseBody(CreateCampaign, bodyOfDraft({ ...emptyDraft, silent: true, templateId: '671a2b3c4d5e6f7081920a04' }))
  expect(made).toMatchObject({ ttl: 2_419_200 })
  expect(made).toHaveProperty('presentation', {})
  expect(made).toHaveProperty('overrides', {})
  expect(bodyOfDraft(emptyDraft)).not.toHaveProperty('ttl')
})

test("an experiment begins with two copies of the text, has at most four variants, and ends with the first's", () => {
  const begun = beginExperiment({ ...emptyDraft, content: changeEntry(emptyDraft.content, 'en', { title: 'Sale', body: 'Now' }) })
  if (!begun.experiment) throw new Error('it has begun')
  expect(begun.experiment.variants.map(({ content: { entries } }) => entries[0]?.entry.title)).toEqual(['Sale', 'Sale'])
  const full = addVariant(addVariant(addVariant(begun.experiment)))
  expect(full.variants.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd'])
  expect(parseBody(CreateCampaign, bodyOfDraft({ ...begun, experiment: full })).experiment?.variants).toHaveLength(4)
  expect(endExperiment(begun).content.entries[0]?.entry.title).toBe('Sale')
})

test('a language is added with link and buttons but without texts; every language but the last can be removed', () => {
  const first = changeEntry(emptyContent('en'), 'en', {
    title: 'Sale',
    url: 'https://shop.example',
    actions: [{ id: 'buy', title: 'Buy', url: '' }],
  })
  const both = addLocale(first, 'de')
  expect(both.entries[1]?.entry).toEqual({
    title: '',
    body: '',
    url: 'https://shop.example',
    image: '',
    actions: [{ id: 'buy', title: '', url: '' }],
  })
  expect(addLocale(both, 'de')).toBe(both)
  expect(removeLocale(both, 'en')).toMatchObject({ fallback: 'de', entries: [{ locale: 'de' }] })
  expect(removeLocale(emptyContent('en'), 'en')).toEqual(emptyContent('en'))
  expect(draftOfContent(contentOfDraft(both))).toEqual(both)
})

test('a new button gets an id that no other button of its language has', () => {
  expect(newActionId([])).toBe('action-1')
  expect(newActionId([{ id: 'action-2', title: '', url: '' }])).toBe('action-3')
})

test('a key that is written twice in the data of a message is found', () => {
  const rows = [
    { key: 'a', value: '1' },
    { key: '', value: '' },
    { key: 'a', value: '2' },
    { key: '', value: '' },
  ]
  expect(twiceIn(rows)).toEqual([2])
  expect(optionsOfDraft({ ...emptyOptions, data: rows.slice(0, 1) }).data).toEqual({ a: '1' })
})
