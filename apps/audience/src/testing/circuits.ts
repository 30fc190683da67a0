import {
  maxTries,
  shortenAnswers,
  type CircuitEnvironment,
  type FinishBatch,
  type Recipient,
  type RefusedLetter,
  type TakeAnswer,
} from '@herald/contracts/batch'
import type { Platform } from '@herald/contracts/platform'
import { sql } from 'kysely'
import { asked, finished, retried, withBatches } from './batches.ts'
import { givenCrowd, givenDevice, givenSend, type openAudience, type Taken } from './rig.ts'

/**
 * What a provider answers to a push: `s` sent, `g` token refused, `t` the same by good credentials, `w` device or credentials wrong, `c` credentials
 * wrong, `p` message refused, `u` unavailable.
 */
export type Letter = 's' | 'g' | 't' | 'c' | 'w' | 'p' | 'u'

/** Gives the credentials that a dispatcher uses. The default is for Android, which has only one environment, named ''. */
export const used = (credentialsVersion = 1, environment: CircuitEnvironment = '') => ({ credentialsVersion, environment })

/**
 * Makes the finish of a batch whose recipients got the answers `letters`, in order; those beyond the list got the last one again. In a probe only the
 * first recipient was sent to.
 */
export function heard(
  { batchId, takes, tries, recipients, probe }: Taken,
  letters: Letter[],
  { credentialsVersion, environment } = used(),
  host = '',
): FinishBatch {
  const tried = probe ? recipients.slice(0, 1) : recipients
  const answers = tried.map((recipient, index) => ({ recipient, letter: letters[index] ?? letters.at(-1) ?? 's' }))
  const of = (letter: Letter) => answers.filter((one) => one.letter === letter).map(({ recipient }) => recipient)
  const again = (recipient: Recipient) => retried(recipient, { tries })
  return finished(batchId, takes, {
    environments: environment === '' ? [] : of('s').map(({ subscriptionId }) => ({ subscriptionId, environment })),
    guarded: answers.flatMap(({ letter, recipient: { place, subscriptionId, userId, tokenVersion } }) => {
      if (!isRefused(letter)) return []
      const push = { place, subscriptionId, userId, tokenVersion, environment, host, letter, tries: tries + 1, agoMs: 0 }
      return letter === 'w'
        ? { ...push, retryInMs: tries < 2 ? 1_000 : null, code: 'credentials_invalid' as const, providerCode: '403' }
        : { ...push, retryInMs: null, code: 'token_invalid' as const, providerCode: '400 BadDeviceToken' }
    }),
    refused: answers.flatMap(({ letter, recipient: { subscriptionId } }) =>
      isRefused(letter) ? { environment, host, letter, subscriptionId } : [],
    ),
    accepted: of('s')
      .slice(0, 1)
      .map(({ subscriptionId }) => ({ environment, host, subscriptionId })),
    unsent: of('p').map(({ subscriptionId }) => subscriptionId),
    unavailable: of('u').map(({ place, subscriptionId, userId, tokenVersion }) => ({
      ...{ place, subscriptionId, userId, tokenVersion, environment, tries: tries + 1 },
      ...{ retryInMs: tries + 1 < maxTries ? 1_000 : null, code: 'network_error' as const, providerCode: 'ECONNREFUSED' },
    })),
    retries: [...of('c'), ...recipients.slice(tried.length)].map(again),
    answers: [
      {
        environment,
        seen: shortenAnswers(answers.map(({ letter }) => letter).join('')),
        code: letters.includes('g') ? 'token_invalid' : letters.includes('u') ? 'network_error' : 'credentials_invalid',
      },
    ],
    credentialsVersion,
  })
}

const isRefused = (letter: Letter): letter is RefusedLetter => letter === 'g' || letter === 't' || letter === 'w'

/**
 * Adds to the functions of `withBatches` those for tests of circuits: they make devices, take batches with given credentials, let time pass, and read
 * circuits, invalidated devices and unfinished batches.
 */
export function withCircuits(rig: Pick<Awaited<ReturnType<typeof openAudience>>, 'audience' | 'db' | 'peers'>) {
  const { db } = rig
  const batches = withBatches(rig)
  const { take, takeOne, finish, givenBatch } = batches

  const givenPhones = (appId: string, count: number, platform: Platform = 'android') => givenCrowd(db, { appId, count, platform })
  const takeWith = async (batchId: string, using = used()): Promise<TakeAnswer['answer']> =>
    (await take(asked(batchId, using)))[0]?.answer ?? 'gone'
  const circuitOf = (appId: string, environment: CircuitEnvironment = '') =>
    db.selectFrom('circuits').selectAll().where('app_id', '=', appId).where('environment', '=', environment).executeTakeFirst()
  const invalidated = async (appId: string): Promise<string[]> =>
    (
      await db
        .selectFrom('subscriptions')
        .select('id')
        .where('app_id', '=', appId)
        .where('invalidated_at', 'is not', null)
        .orderBy('id')
        .execute()
    ).map(({ id }) => id)
  const openBatches = (appId: string) =>
    db.selectFrom('batches').selectAll().where('app_id', '=', appId).where('done_at', 'is', null).orderBy('due_at').orderBy('id').execute()
  const letTimePass = (appId: string, seconds: number) => {
    const earlier = (column: string) => sql`${sql.ref(column)} = ${sql.ref(column)} - make_interval(secs => ${seconds})`
    return Promise.all([
      sql`update circuits set ${earlier('probe_at')} where app_id = ${appId}`.execute(db),
      sql`update batches set ${earlier('not_before')}, ${earlier('due_at')}, ${earlier('held_since')}, ${earlier('queued_at')} where app_id = ${appId} and done_at is null`.execute(
        db,
      ),
    ])
  }
  /** Opens the app's circuit: makes a device and a push to it, for which the provider refuses the credentials. Gives the device's id. */
  const givenOpen = async (appId: string, using = used(), platform: Platform = 'android'): Promise<string> => {
    const device = await givenDevice(db, { appId, platform })
    const taken = await takeOne(await givenBatch(appId, givenSend(appId)), using)
    await finish(heard(taken, ['c'], using))
    return device.id
  }

  return { ...batches, givenPhones, takeWith, circuitOf, invalidated, openBatches, letTimePass, givenOpen }
}
