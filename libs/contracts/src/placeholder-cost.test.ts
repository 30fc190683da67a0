import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { FrozenSend, Recipient } from './batch.ts'
import { LocaleEntry, maxContentCost } from './content.ts'
import { filterNames, type FilterName } from './placeholder-filter.ts'
import { platforms, type Platform } from './platform.ts'
import { prepareSend } from './prepare-send.ts'

const places = { title: 250, body: 2_000, url: 2_048, image: 2_048, actionTitle: 50, actionUrl: 2_048 } as const

/** The dearest arguments of each filter. `tags.v` is the value itself; `f` and `z` are a format and a zone that no push has had before. */
const argumentsOf: Partial<Record<FilterName, string[]>> = {
  default: [':tags.v'],
  truncate: [':2000,tags.v', ':9,tags.v'],
  date: [':tags.f', ':tags.f,tags.z', ''],
  plus: [':tags.v'],
  minus: [':1'],
  times: [':tags.n'],
  divided_by: [':7'],
  round: [':9', ''],
}
const filters = filterNames.flatMap((name) => (argumentsOf[name] ?? ['']).map((args) => `|${name}${args}`))

/** Values of at most 1,024 characters, as a tag may have. Some become longer by a filter, some are slow to measure or to cut. */
const values: Record<string, string> = {
  'letters of Chinese': '漢'.repeat(1_024),
  'sharp s, which upcase doubles': 'ß'.repeat(1_024),
  'emoji of two units': '🎉'.repeat(1_024),
  'one letter with 1,023 accents': `e${'\u0301'.repeat(1_023)}`,
  'a family of 300 people': Array(300).fill('👩').join('\u200d'),
  flags: '🇦🇹'.repeat(512),
  blanks: ' '.repeat(1_024),
  digits: '9'.repeat(1_024),
  'an instant': '2026-01-31T23:30:00.123Z',
  'control characters': '\u0001'.repeat(1_024),
}

type Tried = { what: string; entry: LocaleEntry; value: string }

/** Fills every field with as many of the tag as it holds and the cost allows, dear fields first. */
function filledWith(tag: string, ops: number): LocaleEntry | undefined {
  let left = maxContentCost
  const fill = (limit: number, before = '') => {
    const count = Math.min(Math.floor((limit - before.length) / tag.length), Math.floor(left / (ops * limit)))
    left -= count * ops * limit
    return count > 0 ? before + tag.repeat(count) : undefined
  }
  const entry: LocaleEntry = { title: 'T', body: 'B' }
  entry.body = fill(places.body) ?? 'B'
  const url = fill(places.url, 'https://a.example/')
  const image = fill(places.image, 'https://a.example/')
  const actions = ['a', 'b', 'c', 'd'].flatMap((id) => {
    const link = fill(places.actionUrl, 'https://a.example/')
    return link === undefined ? [] : [{ id, title: fill(places.actionTitle) ?? 'A', url: link }]
  })
  entry.title = fill(places.title) ?? 'T'
  return { ...entry, ...(url !== undefined && { url }), ...(image !== undefined && { image }), ...(actions.length > 0 && { actions }) }
}

function* candidates(): Generator<Tried> {
  for (const [named, value] of Object.entries(values)) {
    for (const filter of ['', ...filters]) {
      for (const times of filter === '' ? [0] : [1, 4, 15]) {
        // A short result keeps the field below its limit, so that all of its tags are filled in.
        for (const end of ['', '|truncate:1,""']) {
          const ops = 1 + times + (end === '' ? 0 : 1)
          if (ops > 17) continue
          const entry = filledWith(`{{tags.v${filter.repeat(times)}${end}}}`, ops)
          if (entry) yield { what: `${named} ${filter} × ${times}${end}`, entry, value }
        }
      }
    }
  }
}

/** Chains of different filters, some of which make a dear value of another. */
function* mixed(): Generator<Tried> {
  const chain = fc.array(fc.constantFrom(...filters), { minLength: 2, maxLength: 15 })
  for (const [of, named] of fc.sample(fc.tuple(chain, fc.constantFrom(...Object.keys(values))), 200)) {
    const entry = filledWith(`{{tags.v${of.join('')}|truncate:1,""}}`, of.length + 2)
    if (entry) yield { what: `${named} ${of.join('')}`, entry, value: values[named] ?? '' }
  }
}

const send = (entry: LocaleEntry): FrozenSend => ({
  campaignId: '6b0101fa670fb6323e3094c0',
  appId: '6b0101fa57242da27b70b803',
  name: 'spring',
  transactional: true,
  content: { _default: 'en', en: entry },
  silent: false,
  data: {},
  ttl: 60,
  collapseId: null,
  priority: 'high',
  presentation: null,
  bypass: {},
})

let pushes = 0
const recipient = (value: string): Recipient => {
  pushes += 1
  return {
    place: 0,
    subscriptionId: '6b0101fac570c5519301082b',
    userId: '6b0101fa94f99a0e6e037231',
    address: 'token',
    keys: null,
    tokenVersion: 1,
    environment: null,
    language: null,
    timezone: null,
    user: {},
    tags: { v: value, n: '1e300', f: `%c${pushes}`.padEnd(100, '%c'), z: `No/Zone${pushes}` },
    subscription: {},
  }
}

/** Gives the function that makes a push, each for a device of its own. */
function givenSend({ entry, value }: Tried, platform: Platform): () => void {
  const prepared = prepareSend(send(entry), () => new Date('2026-01-31T12:00:00.000Z'))
  return () => void prepared.payloadFor(platform, recipient(value), '', 'message', 60)
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
const measure = '🎉'.repeat(1_024)
/**
 * One pass over this text takes 60 µs on a quiet machine. Other work slows the pass and a push alike, two- to threefold, so a push is measured in
 * passes.
 */
const msOfPass = 0.06

/**
 * Gives the time of `work` in milliseconds: the least of several, the last of which is `enough` or less. `work` takes less than a millisecond: a busy
 * kernel gives a process about 3 ms at a time.
 */
function leastMs(most: number, work: () => void, enough = 0): number {
  let least = Infinity
  for (let round = 0; round < most && least > enough; round += 1) {
    const before = performance.now()
    work()
    least = Math.min(least, performance.now() - before)
  }
  return least
}

const limitMs = 2
const passes = 5
/**
 * Gives the time of one push in milliseconds of a quiet machine. It is tried often: V8 compiles the code for a new kind of text beside this thread, and a
 * busy machine takes a second to do so.
 */
function msOfPush(one: Tried, platform: Platform): number {
  const passesMs = leastMs(50, () => {
    for (let pass = 0; pass < passes; pass += 1) for (const _ of segmenter.segment(measure));
  })
  const unit = passesMs / passes / msOfPass
  return leastMs(300, givenSend(one, platform), (unit * limitMs) / 2) / unit
}

// spec: content/cost
test('no content that is accepted takes more than 2 ms of CPU for a push', () => {
  const tried = [...candidates(), ...mixed()].filter(({ entry }) => LocaleEntry.safeParse(entry).success)
  expect(tried.length).toBeGreaterThan(900)
  const quick = tried.map((one) => ({ one, ms: leastMs(3, givenSend(one, 'ios')) })).toSorted((left, right) => right.ms - left.ms)
  const dearest = quick
    .slice(0, 10)
    .flatMap(({ one }) => platforms.map((platform) => ({ what: one.what, platform, ms: msOfPush(one, platform) })))
  expect(dearest.filter(({ ms }) => ms > limitMs)).toEqual([])
})
