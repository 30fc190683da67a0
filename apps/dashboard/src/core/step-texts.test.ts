import { expect, test } from 'vitest'
import { beginExperiment, emptyDraft, type CampaignDraft } from './campaign-draft.ts'
import { addLocale, changeEntry } from './content-draft.ts'
import { stepOfPath, steps, stepText } from './step-texts.ts'

const now = new Date('2026-11-29T12:00:00Z')
const texts = (draft: CampaignDraft) => steps.map((step) => stepText(step, draft, now))

// spec: dashboard/steps
test('each step of the composer says in words what it holds', () => {
  expect(texts(emptyDraft)).toEqual(['Everyone', 'Nothing written yet · English', 'Now', 'Default settings'])
  const content = addLocale(changeEntry(emptyDraft.content, 'en', { title: 'Sale' }), 'pt-BR')
  const draft: CampaignDraft = {
    ...emptyDraft,
    content,
    audience: { kind: 'saved', segmentId: 'x' },
    schedule: { type: 'user_timezone', localTime: '09:00' },
    bypass: { frequencyCap: true, quietHours: false },
    data: [{ key: 'a', value: 'b' }],
  }
  expect(texts(draft)).toEqual([
    'A saved segment',
    'Sale · English, Brazilian Portuguese',
    'At 09:00 in each user’s own time zone',
    'Ignores the frequency cap, 1 data field',
  ])
  const more = { category: 'offers', inbox: true, sendRate: { perMinute: 6_000 } }
  expect(stepText('options', { ...emptyDraft, ...more }, now)).toBe('Category offers, in the inbox, 6,000 per minute')
  expect(stepText('options', beginExperiment(draft), now)).toMatch(/^A\/B test of 2 variants, /)
  expect(stepText('message', { ...draft, silent: true }, now)).toBe('Silent: it shows nothing')
})

test('each mistake belongs to the step of its field', () => {
  const paths = [
    'segment.and.0.field',
    'segmentId',
    'content.en.title',
    'experiment.variants.1.content.de',
    'schedule.at',
    'experiment.sampleRate',
    'ttl',
  ]
  expect(paths.map(stepOfPath)).toEqual(['audience', 'audience', 'message', 'message', 'schedule', 'options', 'options'])
})
