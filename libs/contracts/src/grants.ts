import { apps, versionsSubject, type AppName } from './call.ts'
import { batchSubject, everyLane } from './batch.ts'
import * as audience from './calls/audience.ts'
import * as campaigns from './calls/campaigns.ts'
import * as dispatcher from './calls/dispatcher.ts'
import * as gateway from './calls/gateway.ts'
import * as tracker from './calls/tracker.ts'
import * as webhooks from './calls/webhooks.ts'
import {
  announcements,
  bulkFanOutWork,
  canarySubject,
  consumers,
  eventSubjects,
  fanOutWork,
  pushWork,
  streams,
  streamsOwner,
  type Consumer,
} from './topology.ts'

type Subject = { readonly subject: string }

/** What a service does on NATS besides answering calls. A test compares this list with the service's source. */
export type Uses = {
  /** Calls that the service makes; other services answer them. */
  readonly asks: readonly Subject[]
  /** Broadcasts that the service sends. */
  readonly tells: readonly Subject[]
  /** Broadcasts that the service listens to. */
  readonly hears: readonly Subject[]
  /** Subjects on which the service publishes stored messages. */
  readonly stores: readonly string[]
  /** Durable consumers from which the service reads. */
  readonly reads: readonly Consumer<unknown>[]
}

export const uses: Record<AppName, Uses> = {
  gateway: {
    asks: [
      audience.changeOwner,
      audience.changePreferences,
      audience.changeUser,
      audience.changeUsers,
      audience.countDevices,
      audience.countSegment,
      audience.createSegment,
      audience.deleteSegment,
      audience.deleteSubscription,
      audience.deleteUser,
      audience.dryRun,
      audience.eraseAudienceOfApp,
      audience.explainDevices,
      audience.findConverters,
      audience.findDevicesOf,
      audience.exportUsers,
      audience.findUserByAddress,
      audience.listFormerDevices,
      audience.listOpenCircuits,
      audience.listOpenPushes,
      audience.listSegments,
      audience.listTestDevices,
      audience.findExternalIds,
      audience.listUsers,
      audience.listTags,
      audience.loginSubscription,
      audience.logoutSubscription,
      audience.markTestDevice,
      audience.patchSubscription,
      audience.previewSegment,
      audience.probeCircuits,
      audience.readCircuits,
      audience.readDeviceDays,
      audience.readDevice,
      audience.readInboxOwner,
      audience.readMaskedUser,
      audience.readPreferences,
      audience.readScan,
      audience.readSegment,
      audience.readUser,
      audience.readWaves,
      audience.registerSubscription,
      audience.replaceSegment,
      audience.rotateSubscription,
      audience.startSession,
      audience.cancelImport,
      audience.finishImport,
      audience.importLot,
      audience.keepImportTail,
      audience.listImportErrors,
      audience.listImports,
      audience.readImport,
      audience.startImport,
      audience.putActivityToken,
      audience.deleteActivityToken,
      campaigns.cancelCampaign,
      campaigns.changeRate,
      campaigns.createCampaign,
      campaigns.createCategory,
      campaigns.createTemplate,
      campaigns.deleteCampaign,
      campaigns.deleteCategory,
      campaigns.deleteTemplate,
      campaigns.duplicateCampaign,
      campaigns.endCampaign,
      campaigns.eraseCampaignsOfApp,
      campaigns.explainCampaign,
      campaigns.findLeavable,
      campaigns.getCampaign,
      campaigns.listCampaigns,
      campaigns.listCategories,
      campaigns.listOccurrences,
      campaigns.listRuns,
      campaigns.listTemplates,
      campaigns.pauseCampaign,
      campaigns.pickWinner,
      campaigns.readCampaign,
      campaigns.readInboxSends,
      campaigns.readTemplate,
      campaigns.recallCampaign,
      campaigns.replaceCampaign,
      campaigns.replaceCategory,
      campaigns.replaceTemplate,
      campaigns.resolveSend,
      campaigns.resumeCampaign,
      campaigns.sendCampaign,
      campaigns.sendNotification,
      campaigns.sendTest,
      campaigns.summarizeCampaigns,
      campaigns.unsendCampaign,
      campaigns.sendLiveActivity,
      dispatcher.checkProvider,
      tracker.countExperiment,
      tracker.countUplift,
      tracker.eraseTrackerOfApp,
      tracker.explainPushes,
      tracker.exportPushesOfCampaign,
      tracker.exportPushesOfDevice,
      tracker.hideInboxItem,
      tracker.listConversions,
      tracker.listPushes,
      tracker.listStats,
      tracker.markInbox,
      tracker.readInbox,
      tracker.readPace,
      tracker.readBreakdown,
      tracker.readCurve,
      tracker.newestPushes,
      tracker.readProgress,
      tracker.readRecent,
      tracker.readSeries,
      tracker.readReconciliation,
      tracker.readStats,
      tracker.recordConversions,
      tracker.trackEvents,
      tracker.verifyCampaign,
      webhooks.changeWebhook,
      webhooks.createWebhook,
      webhooks.deleteWebhook,
      webhooks.enableWebhook,
      webhooks.eraseWebhooksOfApp,
      webhooks.exportDeliveries,
      webhooks.listDeliveries,
      webhooks.listWebhooks,
      webhooks.readDelivery,
      webhooks.readWebhook,
      webhooks.replayDelivery,
      webhooks.rotateWebhookSecret,
      webhooks.testWebhook,
      webhooks.watchEvents,
    ],
    tells: [gateway.appChanged, gateway.keyRevoked, gateway.sessionEnded],
    hears: [gateway.appChanged, gateway.keyRevoked, gateway.sessionEnded, webhooks.eventsSeen],
    stores: [],
    reads: [],
  },
  audience: {
    asks: [
      campaigns.failCampaign,
      campaigns.fanOutStarted,
      campaigns.noteFailedStart,
      campaigns.readSend,
      gateway.readApp,
      tracker.eraseTrackerOfUser,
      tracker.findLastNotified,
      tracker.findPushesWithOutcome,
      tracker.listReached,
      tracker.readNotified,
      tracker.reportQueued,
      webhooks.eraseUser,
    ],
    tells: [audience.flowChanged],
    hears: [gateway.appChanged],
    stores: [
      fanOutWork.subject,
      bulkFanOutWork.subject,
      ...everyLane.map(({ platform, lane }) => batchSubject(platform, lane)),
      eventSubjects.subscriptionInvalidated,
    ],
    reads: [fanOutWork, bulkFanOutWork],
  },
  campaigns: {
    asks: [
      audience.changeFlow,
      audience.findSegment,
      audience.findTestDevices,
      audience.listTimeZones,
      audience.startSends,
      tracker.countExperiment,
      tracker.dropFromInboxes,
      tracker.readStats,
    ],
    tells: [],
    hears: [],
    stores: [fanOutWork.subject],
    reads: [],
  },
  dispatcher: {
    asks: [
      audience.finishBatch,
      audience.finishBatches,
      audience.renewBatch,
      audience.takeBatch,
      audience.takeBatches,
      audience.takeNext,
      gateway.apnsToken,
      gateway.readCredentials,
      tracker.readOutcomesOfBatch,
      tracker.recordOutcomes,
    ],
    tells: [],
    hears: [gateway.appChanged, audience.flowChanged],
    stores: [],
    reads: pushWork,
  },
  tracker: {
    asks: [audience.dropCampaigns, campaigns.settleCampaigns],
    tells: [],
    hears: [],
    stores: [eventSubjects.pushSettled, eventSubjects.pushEngaged, eventSubjects.campaignCompleted],
    reads: [],
  },
  webhooks: {
    asks: [
      audience.confirmAudienceAnnouncements,
      audience.findExternalIds,
      audience.hearAudienceListeners,
      tracker.confirmTrackerAnnouncements,
      tracker.hearTrackerListeners,
    ],
    tells: [webhooks.eventsWatched, webhooks.eventsSeen],
    hears: [webhooks.eventsWatched],
    stores: [],
    reads: [announcements],
  },
}

/** The users of NATS: one for each service, and `queue` for the operator's command `set-up queue`. */
export type NatsUser = AppName | 'queue'
export const natsUsers: readonly NatsUser[] = [...apps, 'queue']

/** Gives the name of a user in the configuration of nats-server. */
export const natsUser = (user: NatsUser): string => `herald_${user}`

/** Gives the subject below which answers to a user's calls arrive. No other user may listen there. */
export const inboxOf = (user: NatsUser): string => `_INBOX.${user}`

/** Whether a subject is an inbox. Answers go only to inboxes: otherwise a call could make the service that answers it publish to any subject. */
export const isInbox = (subject: string): boolean => subject.startsWith('_INBOX.')

export type Grants = {
  readonly publish: readonly string[]
  /** Each entry is a subject, or a subject and the queue group in which it may be read. */
  readonly subscribe: readonly string[]
}

/** Gives the calls that a service may make: those that it uses, and the one that has missing streams made. */
export const asksOf = (app: AppName): Uses['asks'] => (app === streamsOwner ? uses[app].asks : [...uses[app].asks, gateway.makeStreams])

/**
 * Gives what a service may publish and subscribe to, as in nats-server's configuration. Answers need no grant. Only the gateway may make streams and
 * consumers: these can copy any subject to any other, answers with provider tokens included.
 */
export function grantsOf(app: AppName): Grants {
  const { tells, hears, stores, reads } = uses[app]
  const asks = asksOf(app)
  const jetStream = app === streamsOwner ? [...Object.keys(streams).flatMap(rightsToStream), ...consumers.flatMap(rightsToConsumer)] : []
  return {
    publish: [
      // The `.*` allows every version of the call: during an upgrade, processes of the previous version still make their calls.
      ...asks.flatMap(({ subject }) => [subject, `${subject}.*`]),
      ...new Set(asks.map(({ subject }) => versionsSubject(appOf(subject)))),
      ...tells.map(({ subject }) => subject),
      ...stores,
      canarySubject(app),
      '$JS.API.INFO',
      ...Object.keys(streams).map((stream) => `$JS.API.STREAM.INFO.${stream}`),
      ...reads.flatMap(({ stream, durable }) => [
        `$JS.API.CONSUMER.INFO.${stream}.${durable}`,
        `$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`,
        `$JS.ACK.${stream}.${durable}.>`,
      ]),
      ...jetStream,
    ],
    subscribe: [`${inboxOf(app)}.>`, `rpc.${app}.> ${app}`, ...hears.map(({ subject }) => subject)],
  }
}

/** Gives what a user may do. The command `set-up queue` may make, change and delete streams and consumers, and calls no service. */
export const rightsOf = (user: NatsUser): Grants => (user === 'queue' ? rightsOfQueue() : grantsOf(user))

const rightsOfQueue = (): Grants => ({
  publish: [
    ...Object.keys(streams).flatMap((stream) => [
      `$JS.API.STREAM.INFO.${stream}`,
      `$JS.API.STREAM.DELETE.${stream}`,
      ...rightsToStream(stream),
    ]),
    ...consumers.flatMap(rightsToConsumer),
  ],
  subscribe: [`${inboxOf('queue')}.>`],
})

const appOf = (subject: string): string => subject.split('.')[1] ?? ''

const rightsToStream = (stream: string) => [`$JS.API.STREAM.CREATE.${stream}`, `$JS.API.STREAM.UPDATE.${stream}`]
const rightsToConsumer = ({ stream, durable, subject }: Consumer<unknown>) => [
  // The last part is the subject that the consumer reads, which may itself end in a wildcard.
  `$JS.API.CONSUMER.CREATE.${stream}.${durable}.${subject.endsWith('>') ? '>' : subject}`,
  `$JS.API.CONSUMER.INFO.${stream}.${durable}`,
]

/** A call may be answered for this long. It is longer than the longest call, so nats-server refuses no answer for which a caller still waits. */
const answerWithinSeconds = 60

/**
 * Writes the block `authorization` of nats-server's configuration: each service and the command `set-up queue` with their grants, and the operator's
 * `moreUsers` in nats-server's own syntax. A password may be any text.
 */
export function natsAuthorization(passwords: Readonly<Record<NatsUser, string>>, moreUsers: readonly string[] = []): string {
  const users = natsUsers.map((user) => {
    const { publish, subscribe } = rightsOf(user)
    return [
      '    {',
      `      user: ${natsUser(user)}, password: ${JSON.stringify(passwords[user])}`,
      '      permissions: {',
      `        publish: { allow: ${list(publish)} }`,
      `        subscribe: { allow: ${list(subscribe)} }`,
      `        allow_responses: { max: 1, expires: "${answerWithinSeconds}s" }`,
      '      }',
      '    }',
    ].join('\n')
  })
  return `authorization {\n  users: [\n${[...users, ...moreUsers].join('\n')}\n  ]\n}\n`
}

const list = (subjects: readonly string[]): string => `[${subjects.map((subject) => JSON.stringify(subject)).join(', ')}]`
