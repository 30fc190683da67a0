import type { Campaign } from '@herald/contracts/campaign'
import { reportOf, upliftOf } from '@herald/contracts/experiment-report'
import { campaignId, category, content, definition, ids, listOf, savedCategory, tuesday, type Example } from '../../http/shop.ts'

const draft = {
  id: campaignId,
  name: 'Weekend sale',
  status: 'draft',
  transactional: false,
  content,
  templateId: null,
  segment: definition,
  segmentId: null,
  audience: { kind: 'segment', segmentId: null, segment: definition },
  schedule: { type: 'at', at: '2026-02-06T15:00:00.000Z' },
  experiment: null,
  winner: null,
  silent: false,
  data: {},
  ttl: 86_400,
  collapseId: null,
  priority: 'high',
  presentation: null,
  overrides: null,
  category: null,
  inbox: false,
  sendRate: null,
  bypass: {},
  recurringOf: null,
  remainderOf: null,
  recallOf: null,
  author: 'Anna',
  failure: null,
  cancelling: false,
  nextAt: null,
  missedCount: 0,
  createdAt: tuesday,
  startedAt: null,
  settledAt: null,
  test: false,
} satisfies Campaign
const sent = { ...draft, status: 'sent', startedAt: '2026-02-06T15:00:00.000Z', settledAt: '2026-02-06T15:00:09.000Z' } satisfies Campaign
const stats = { queued: 1280, sent: 1278, failed: 2, skipped: 0, delivered: 1100, opened: 330, clicked: 110, dismissed: 40 }
const rates = { delivery: 0.8607, open: 0.3, click: 0.1 }

const uplift = upliftOf({ treated: { users: 9_000, converted: 450 }, control: { users: 1_000, converted: 40 }, final: false })

/** Examples of campaigns, by route name. */
export const campaignExamples: Record<string, Example> = {
  createCampaign: {
    bodies: {
      'on Friday': { name: 'Weekend sale', segmentId: ids.segment, content, schedule: { type: 'at', at: '2026-02-06T15:00:00Z' } },
      'with locales under one key': {
        name: 'Weekend sale',
        content: { default: 'en', locales: { en: content.en, de: content.de } },
      },
      experiment: {
        name: 'Which words?',
        content,
        experiment: {
          sampleRate: 0.2,
          variants: [
            { id: 'a', name: 'Sober', weight: 1, content },
            { id: 'b', name: 'Loud', weight: 1, content: { _default: 'en', en: { title: 'Here it comes!', body: 'Today!' } } },
          ],
        },
      },
    },
    answer: { id: ids.campaign, status: 'draft' },
  },
  listCategories: { answer: listOf(category) },
  createCategory: {
    bodies: {
      offers: { id: category.id, ...savedCategory },
      'one that nobody can leave': { id: 'security', name: 'Security', default: 'in', locked: true },
    },
    answer: category,
  },
  replaceCategory: { bodies: { category: { ...savedCategory, default: 'out' } }, answer: { ...category, default: 'out' } },
  sendCampaign: { answer: { status: 'scheduled' } },
  cancelCampaign: { answer: { status: 'cancelled' } },
  recallCampaign: {
    bodies: {
      'another text': { mode: 'replace', content: { _default: 'en', en: { title: 'Correction', body: 'The sale begins on Saturday.' } } },
      'no notification': { mode: 'dismiss', skipOpened: false },
      'only stop': { mode: 'stop' },
    },
    answer: { id: '671a2b3c4d5e6f7081920a0b', status: 'scheduled' },
  },
  pickWinner: { bodies: { winner: { variant: 'b' } }, answer: { id: ids.campaign, status: 'sending' } },
  readExperiment: {
    answer: reportOf(
      { sampleRate: 0.2, variants: ['a', 'b'].map((id) => ({ id, name: id, weight: 1, content })) },
      {
        asOf: tuesday,
        fannedOut: true,
        variants: [
          { id: 'a', assigned: 4_020, sent: 3_980, events: 240 },
          { id: 'b', assigned: 3_990, sent: 3_950, events: 320 },
        ],
        appRate: 0.07,
      },
      { metric: 'open', final: false, decidedBy: null },
    ),
  },
  readCampaignUplift: { answer: uplift },
  readHoldoutUplift: { answer: uplift },
  redrawHoldout: { answer: { since: tuesday } },
  readCampaignStats: {
    answer: {
      id: ids.campaign,
      status: 'sent',
      stats,
      rates,
    },
  },
  listCampaignsOfApp: { answer: listOf({ ...sent, approval: null, stats }) },
  readCampaignOfApp: { answer: { ...sent, approval: null, stats, rates } },
  replaceCampaignOfApp: {
    bodies: { campaign: { name: 'Weekend sale', segment: definition, content, schedule: { type: 'at', at: '2026-02-06T15:00:00Z' } } },
    answer: draft,
  },
  sendCampaignOfApp: { bodies: { delayed: { delaySeconds: 10 } }, answer: { status: 'scheduled', nextAt: '2026-02-03T09:30:10.000Z' } },
  pickWinnerOfApp: {
    bodies: { delayed: { variant: 'b', delaySeconds: 10 } },
    answer: { id: ids.campaign, status: 'scheduled', nextAt: '2026-02-03T09:30:10.000Z' },
  },
  unsendCampaignOfApp: { answer: { id: ids.campaign, status: 'draft' } },
  pauseCampaignOfApp: { answer: { status: 'paused' } },
  changeRateOfCampaign: { bodies: { rate: { perMinute: 6000 } }, answer: { perMinute: 6000, etaSeconds: 95 } },
  resumeCampaignOfApp: { answer: { status: 'sending' } },
  duplicateCampaignOfApp: { answer: draft },
  verifyCampaignOfApp: { answer: { campaignId, agrees: true, difference: 0, counters: stats, ledger: stats } },
  listWavesOfCampaign: {
    answer: {
      items: [
        {
          ...{ no: 1, at: '2026-02-01T00:00:00.000Z', zones: ['Asia/Tokyo'], state: 'done', expired: false },
          ...{ queued: 412, byPlatform: { ios: 200, android: 180, web: 32 } },
        },
        {
          ...{ no: 2, at: '2026-02-01T08:00:00.000Z', zones: ['Europe/Berlin', null], state: 'waiting', expired: false },
          ...{ queued: 0, byPlatform: { ios: 0, android: 0, web: 0 } },
        },
      ],
      nextCursor: null,
    },
  },
  listOccurrencesOfCampaign: {
    answer: { items: [{ at: '2026-02-01T08:00:00.000Z', localDate: '2026-02-01' }], nextCursor: null },
  },
  listRunsOfCampaign: {
    answer: {
      items: [
        {
          ...{ id: '671a2b3c4d5e6f7081920a08', localDate: '2026-02-01', status: 'sent', cancelling: false, failure: null },
          ...{ createdAt: '2026-02-01T08:00:00.000Z', startedAt: '2026-02-01T08:00:00.210Z', settledAt: '2026-02-01T08:00:41.002Z' },
          stats: { queued: 1280, sent: 1278, failed: 2, skipped: 0, delivered: 1100, opened: 330, clicked: 110, dismissed: 40 },
        },
      ],
      nextCursor: null,
    },
  },
}
