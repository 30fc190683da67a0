/** By route name: what the administration answers of waves, runs, tags and deliveries, for its OpenAPI document. */
export const historyExamples: Record<string, { answer: unknown }> = {
  listWavesOfCampaign: {
    answer: {
      items: [
        {
          ...{ no: 1, at: '2026-02-01T00:00:00.000Z', zones: ['Asia/Tokyo'], state: 'done' },
          ...{ queued: 412, byPlatform: { ios: 200, android: 180, web: 32 } },
        },
        {
          ...{ no: 2, at: '2026-02-01T08:00:00.000Z', zones: ['Europe/Berlin', null], state: 'waiting' },
          ...{ queued: 0, byPlatform: { ios: 0, android: 0, web: 0 } },
        },
      ],
      nextCursor: null,
    },
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
  listTagsOfApp: {
    answer: {
      items: [
        { name: 'orders', type: 'number', users: 81_200, low: 79_900, high: 82_500, values: ['0', '1', '2', '3', '5'] },
        { name: 'plan', type: 'string', users: 120_400, low: 119_800, high: 121_000, values: ['free', 'pro', 'team'] },
      ],
      nextCursor: null,
      ...{ exact: false, sample: 9_133, users: 120_400, asOf: '2026-02-01T08:00:00.000Z' },
    },
  },
  readWebhookDelivery: {
    answer: {
      ...{ id: 'dlv_66f0c1a2b3c4d5e6f7a8b9c0', state: 'delivered', eventCount: 1 },
      attempts: [{ at: '2026-02-01T08:00:01.000Z', status: 204, error: null, latencyMs: 48 }],
      ...{ nextAttemptAt: null, replayable: true, createdAt: '2026-02-01T08:00:01.000Z', endedAt: '2026-02-01T08:00:01.048Z' },
      body: '{"id":"dlv_66f0c1a2b3c4d5e6f7a8b9c0","events":[]}',
    },
  },
}
