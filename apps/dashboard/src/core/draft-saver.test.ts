import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { draftOfCampaign, emptyDraft, type CampaignBody, type CampaignDraft } from './campaign-draft.ts'
import { changeEntry } from './content-draft.ts'
import { openDraftSaver } from './draft-saver.ts'
import type { DraftCalls, StoredCampaign, Unfinished } from './draft-store.ts'
import { openDraftKeeper } from './kept-drafts.ts'

beforeEach(() => void vi.useFakeTimers({ now: new Date('2026-11-22T12:00:00Z') }))
afterEach(() => void vi.useRealTimers())

const id = '671a2b3c4d5e6f7081920a05'
const written = (title: string, body = 'It has begun.'): CampaignDraft => ({
  ...emptyDraft,
  content: changeEntry(emptyDraft.content, 'en', { title, body }),
})

/** Stands in for the browser's local storage. */
function givenStorage() {
  const kept = new Map<string, string>()
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
    key: (place: number) => [...kept.keys()][place] ?? null,
    get length() {
      return kept.size
    },
  }
}

class Conflict extends Error {}

/** Stands in for Herald: it stores one campaign and unfinished drafts, and records the calls. */
function givenPlatform() {
  const asked: string[] = []
  let stored: StoredCampaign | undefined
  const unfinished = new Map<string, Unfinished>()
  const made = new Map<string, string>()
  let refusal: { status: number; message: string; details: { path: string; message: string }[] } | undefined
  let template: Pick<CampaignBody, 'collapseId' | 'ttl' | 'presentation' | 'overrides'> = {}
  const answer = (body: CampaignBody): StoredCampaign => {
    const { segmentId = null, templateId = null, content = null, experiment = null, bypass = {}, ...rest } = body
    const filling = templateId === null ? {} : template
    return { ttl: 2_419_200, ...filling, ...rest, id, status: 'draft', segmentId, templateId, content, experiment, bypass }
  }
  const meet = (what: string) => {
    asked.push(what)
    if (refusal) throw new Error('refused')
  }
  const calls: DraftCalls = {
    async read() {
      meet('read')
      if (!stored) throw new Error('nobody has it')
      return stored
    },
    async create(body, idempotencyKey) {
      asked.push('create')
      if (!made.has(idempotencyKey)) {
        made.set(idempotencyKey, JSON.stringify(body))
        stored = answer(body)
      }
      if (made.get(idempotencyKey) !== JSON.stringify(body)) throw new Error('another body under the same key')
      if (refusal) throw new Error('refused')
      return { id }
    },
    async replace(_, body) {
      meet('replace')
      return (stored = answer(body))
    },
    async findUnfinished(key) {
      meet('find')
      return unfinished.get(key)
    },
    async saveUnfinished(key, _name, draft) {
      meet('save unfinished')
      if ((unfinished.get(key)?.revision ?? 0) !== draft.revision) throw new Conflict()
      unfinished.set(key, { ...draft, revision: draft.revision + 1 })
      return { revision: draft.revision + 1 }
    },
    async deleteUnfinished(key) {
      meet('delete unfinished')
      unfinished.delete(key)
    },
    whyRefused: (error) =>
      error instanceof Conflict
        ? { status: 409, message: 'Somebody else has changed this draft.', details: [] }
        : (refusal ?? { status: 0, message: 'no network', details: [] }),
  }
  return {
    calls,
    asked,
    made,
    refuse: (given: typeof refusal) => void (refusal = given),
    change: (body: Partial<StoredCampaign>) => void (stored &&= { ...stored, ...body }),
    fillIn: (given: typeof template) => void (template = given),
    stored: () => stored,
    unfinished: () => [...unfinished.values()],
    changeUnfinished: (draft: CampaignDraft) =>
      [...unfinished].forEach(([key, { revision }]) => unfinished.set(key, { revision: revision + 1, campaignId: null, draft })),
    forgetUnfinished: () => unfinished.clear(),
    titleOf: () => (stored?.content?.['en'] as { title: string } | undefined)?.title,
  }
}

function given() {
  const platform = givenPlatform()
  const keeper = openDraftKeeper(givenStorage())
  const saver = openDraftSaver({ appId: 'app', key: 'k1', calls: platform.calls, keeper }, { draft: emptyDraft, stored: undefined })
  return { platform, keeper, saver, state: () => saver.get().state.is, kept: () => keeper.list('app') }
}

// spec: dashboard/draft-kept
test('a message becomes a draft 1 s after the last change, and later changes replace the draft', async () => {
  const { platform, saver, state, kept } = given()
  expect(state()).toBe('untouched')
  saver.change(written('S'))
  await vi.advanceTimersByTimeAsync(900)
  saver.change(written('Sale'))
  expect(kept()).toMatchObject([{ id: null, draft: written('Sale') }])
  await vi.advanceTimersByTimeAsync(999)
  expect(platform.asked).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(platform.asked).toEqual(['create', 'read'])
  expect(saver.get()).toMatchObject({ id, state: { is: 'saved', at: new Date('2026-11-22T12:00:01.900Z') } })
  // A draft that Herald has stored is not kept in the browser any more.
  expect(kept()).toEqual([])

  saver.change(written('Sale!'))
  await vi.advanceTimersByTimeAsync(1_000)
  expect(platform.asked).toEqual(['create', 'read', 'read', 'replace'])
  expect(platform.titleOf()).toBe('Sale!')
})

// spec: dashboard/draft-kept
test('an incomplete message is an unfinished draft in Herald, which goes when the message becomes a campaign', async () => {
  const { platform, saver, kept, state } = given()
  saver.change(written('Sale', ''))
  expect(kept()).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(saver.get().state).toMatchObject({ is: 'noted', details: [{ path: 'content.en.body', message: 'must be 1 to 2000 characters' }] })
  expect([platform.asked, kept()]).toEqual([['save unfinished'], []])
  expect(platform.unfinished()).toEqual([{ revision: 1, campaignId: null, draft: written('Sale', '') }])
  expect(await saver.saveNow()).toBe(false)

  saver.change(written('Sale', 'Now'))
  expect(await saver.saveNow()).toBe(true)
  expect(platform.unfinished()).toEqual([])
  expect(saver.get()).toMatchObject({ id, unfinishedId: null })

  // What is missing from a campaign's draft is stored beside it: the campaign stays as it was.
  saver.change(written('', 'Now'))
  await vi.advanceTimersByTimeAsync(1_000)
  expect([state(), platform.titleOf()]).toEqual(['noted', 'Sale'])
  expect(platform.unfinished()).toMatchObject([{ campaignId: id }])
})

// spec: dashboard/draft-shared
test('an unfinished draft changed in another tab is not overwritten; one that became a campaign is not made again', async () => {
  const { platform, saver, state } = given()
  saver.change(written('Sale', ''))
  await saver.saveNow()
  platform.changeUnfinished(written('Theirs', ''))
  saver.change(written('Mine', ''))
  await saver.saveNow()
  expect(state()).toBe('conflict')
  saver.takeTheirs()
  expect([state(), saver.get().draft]).toEqual(['noted', written('Theirs', '')])

  platform.changeUnfinished(written('Again', ''))
  await saver.look()
  expect([state(), saver.get().draft]).toEqual(['noted', written('Again', '')])
  saver.change(written('Mine', ''))
  platform.changeUnfinished(written('Theirs', ''))
  await saver.saveNow()
  await saver.keepMine()
  expect(platform.unfinished()).toMatchObject([{ draft: written('Mine', '') }])

  platform.forgetUnfinished()
  saver.change(written('More', ''))
  await saver.saveNow()
  expect(saver.get().state).toEqual({ is: 'over', status: 'deleted' })
})

// spec: dashboard/draft-kept, dashboard/requests
test('while Herald is away the page goes on trying to save the draft, and no text is lost', async () => {
  const { platform, saver, state, kept } = given()
  platform.refuse({ status: 503, message: 'The database is away.', details: [] })
  saver.change(written('Sale'))
  await vi.advanceTimersByTimeAsync(1_000)
  expect(state()).toBe('unreached')
  expect(kept()).toHaveLength(1)
  platform.refuse(undefined)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(state()).toBe('saved')
  expect(platform.titleOf()).toBe('Sale')
})

test('when the answer to a new draft is lost, saving again makes no second campaign and keeps what was written', async () => {
  const { platform, saver, state } = given()
  platform.refuse({ status: 0, message: 'no network', details: [] })
  saver.change(written('One'))
  await saver.saveNow()
  expect([state(), platform.made.size]).toEqual(['unreached', 1])
  platform.refuse(undefined)
  saver.change(written('Two'))
  expect(await saver.saveNow()).toBe(true)
  expect([platform.made.size, platform.titleOf()]).toEqual([1, 'Two'])
})

test('when Herald refuses a draft the page shows the mistakes', async () => {
  const { platform, saver } = given()
  const details = [{ path: 'schedule.at', message: 'must be at most 365 days ahead' }]
  platform.refuse({ status: 422, message: 'schedule.at must be at most 365 days ahead', details })
  saver.change(written('Sale'))
  expect(await saver.saveNow()).toBe(false)
  expect(saver.get().state).toMatchObject({ is: 'kept', details })
})

// spec: dashboard/draft-shared
test('a draft that another tab has changed is not overwritten before the operator decides', async () => {
  const { platform, saver, state } = given()
  saver.change(written('Sale'))
  await saver.saveNow()
  platform.change({ content: { _default: 'en', en: { title: 'Theirs', body: 'It has begun.' } } })
  saver.change(written('Mine'))
  expect(await saver.saveNow()).toBe(false)
  expect(state()).toBe('conflict')
  expect(platform.titleOf()).toBe('Theirs')
  // The conflict remains while the operator types on.
  saver.change(written('Mine, longer'))
  await vi.advanceTimersByTimeAsync(5_000)
  expect([state(), platform.titleOf()]).toEqual(['conflict', 'Theirs'])

  expect(await saver.keepMine()).toBe(true)
  expect([state(), platform.titleOf()]).toEqual(['saved', 'Mine, longer'])
})

// spec: dashboard/draft-deleted
test('a draft that was deleted is not saved again, and the browser keeps nothing of it', async () => {
  const { platform, saver, state, keeper } = given()
  saver.change(written('Sale'))
  await saver.saveNow()
  saver.change(written('Sale, again'))
  await saver.discard()
  await vi.advanceTimersByTimeAsync(20_000)
  expect([state(), platform.titleOf(), keeper.list('app')]).toEqual(['over', 'Sale', []])
})

// spec: dashboard/draft-shared
test("the operator can take the other tab's version, and a page without unsaved changes takes it without asking", async () => {
  const { platform, saver, state } = given()
  saver.change(written('Sale'))
  await saver.saveNow()
  const theirs = (title: string) => platform.change({ content: { _default: 'en', en: { title, body: 'B' } } })
  theirs('First')
  await saver.look()
  expect([state(), saver.get().draft.content.entries[0]?.entry.title]).toEqual(['saved', 'First'])

  saver.change({ ...saver.get().draft, name: 'Mine' })
  theirs('Second')
  await saver.look()
  expect(state()).toBe('conflict')
  saver.takeTheirs()
  expect([state(), saver.get().draft.name, saver.get().draft.content.entries[0]?.entry.title]).toEqual(['saved', 'Sale', 'Second'])
})

// spec: dashboard/draft-as-shown
test('from a template Herald fills in no collapse id, ttl, presentation or overrides that the page shows as empty', async () => {
  const { platform, saver, state } = given()
  platform.fillIn({ collapseId: 'order', ttl: 60, presentation: { badge: 1 }, overrides: { web: { renotify: true } } })
  saver.change({ ...written('Sale'), templateId: id, collapseId: 'order' })
  expect(await saver.saveNow()).toBe(true)
  expect(platform.stored()).toMatchObject({ templateId: id, collapseId: 'order', ttl: 2_419_200 })
  expect(platform.stored()).toHaveProperty('presentation', {})
  expect(platform.stored()).toHaveProperty('overrides', {})
  expect(saver.get().draft.templateId).toBe(id)

  // No request can clear the template's collapse id, so the message lets go of the template.
  saver.change({ ...saver.get().draft, collapseId: '' })
  expect(await saver.saveNow()).toBe(true)
  expect(platform.stored()).toMatchObject({ templateId: null, ttl: 2_419_200 })
  expect(platform.stored()).not.toHaveProperty('collapseId')
  expect([state(), saver.get().draft.templateId]).toEqual(['saved', null])
})

test('a draft that was sent from another tab cannot be changed any more', async () => {
  const { platform, saver } = given()
  saver.change(written('Sale'))
  await saver.saveNow()
  platform.change({ status: 'sending' })
  saver.change(written('Later'))
  expect(await saver.saveNow()).toBe(false)
  expect(saver.get().state).toEqual({ is: 'over', status: 'sending' })
})

test('a change that is made while the draft is being saved is saved too', async () => {
  const { platform, saver, state } = given()
  saver.change(written('One'))
  const first = saver.saveNow()
  saver.change(written('Two'))
  const second = saver.saveNow()
  expect([await first, await second]).toEqual([false, true])
  expect([state(), platform.titleOf()]).toEqual(['saved', 'Two'])
  expect(platform.asked.filter((call) => call === 'create')).toHaveLength(1)
})

// spec: dashboard/draft-kept, dashboard/kept-in-browser
test('the browser keeps the ten newest drafts, lists only the app’s, and ignores texts that are none', () => {
  const storage = givenStorage()
  const keeper = openDraftKeeper(storage)
  for (let number = 10; number < 22; number += 1) {
    keeper.put({ key: `k${number}`, appId: 'app', id: null, at: `2026-11-22T12:00:${number}.000Z`, draft: emptyDraft })
  }
  storage.setItem('herald.draft.old', '{"key":"old","appId":"app","at":"x","draft":{"text":"?"}}')
  storage.setItem('herald.draft.broken', '{')
  expect(keeper.list('app').map(({ key }) => key)).toEqual(['k21', 'k20', 'k19', 'k18', 'k17', 'k16', 'k15', 'k14', 'k13', 'k12'])
  expect(keeper.list('another')).toEqual([])
  expect(
    draftOfCampaign({ name: 'x', segmentId: null, templateId: null, content: null, experiment: null, schedule: null, bypass: {} }).schedule,
  ).toEqual({ type: 'now' })
})
