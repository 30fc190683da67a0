import { Fault, queueUnavailable } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { changeOwner, changeUser } from './change-users.ts'
import { deleteSubscription } from './delete-subscription.ts'
import { deleteUser } from './delete-user.ts'
import { loginSubscription, logoutSubscription } from './login-logout.ts'
import { openPeopleTurns } from './people-turns.ts'
import { openRegistrations } from './register-subscription.ts'
import { rotateSubscription } from './rotate-subscription.ts'
import { patchSubscription } from './store/subscriptions.ts'
import { apply, describeState, nobody, tagsText, type Command, type Model } from '../testing/identity-model.ts'
import { openAudience } from '../testing/rig.ts'

const { db } = await openAudience()
const register = openRegistrations({ db, frequentDb: db }, { maxWaiting: 5_000, full: queueUnavailable }, openPeopleTurns())

const endpoint = fc.constantFrom('one', 'two', 'three', 'four').map((name) => `https://push.example/${name}`)
const externalId = fc.constantFrom('ann', 'bob', 'cem')
const tags = fc.record({ seat: fc.integer({ min: 0, max: 9 }), plan: fc.constantFrom('free', 'pro') }, { requiredKeys: [] })
/** An index into the devices that exist when the command runs. It may be past the end. */
const device = fc.nat(4)
const plan = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('register' as const), endpoint, externalId: fc.option(externalId), tags }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('login' as const), device, externalId }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('logout' as const, 'delete' as const), device }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('patch' as const), device, optedIn: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('change-owner' as const), device, tags }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('rotate' as const), endpoint, to: endpoint }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('change-user' as const, 'delete-user' as const), externalId, tags }) },
)
type Plan = typeof plan extends fc.Arbitrary<infer Value> ? Value : never

const commandOf = (planned: Plan, { devices }: Model): Command => {
  if (!('device' in planned)) return planned
  const { device: place, ...command } = planned
  return { ...command, subscriptionId: devices[place]?.id ?? 'f'.repeat(24) }
}

const webKeys = { p256dh: 'key', auth: 'auth' }

/** Runs a command on audience and gives the answer in the form of the model (testing/identity-model.ts). Throws every error but `not_found`. */
async function run(appId: string, known: Model, command: Command): Promise<string> {
  const isKnown = new Set([...known.users, ...known.devices].map(({ id }) => id))
  const named = (id: string) => (isKnown.has(id) ? id : 'new')
  const subscription = 'subscriptionId' in command ? { appId, subscriptionId: command.subscriptionId } : { appId, subscriptionId: '' }
  const user = 'externalId' in command && command.externalId !== null ? { externalId: command.externalId } : { externalId: '' }
  try {
    switch (command.do) {
      case 'register': {
        const { endpoint: address, externalId: owner, tags: changes } = command
        const body = { platform: 'web' as const, endpoint: address, keys: webKeys, tags: changes }
        const { id, userId } = await register({ appId, subscription: owner ? { ...body, externalId: owner } : body })
        return `${named(id)} of ${named(userId)}`
      }
      case 'login':
        return named((await loginSubscription({ db }, { ...subscription, externalId: command.externalId })).userId)
      case 'logout':
        return named((await logoutSubscription({ db }, subscription)).userId)
      case 'delete':
        await deleteSubscription({ db }, subscription)
        return 'done'
      case 'patch': {
        const patched = await patchSubscription(db, { ...subscription, changes: { optedIn: command.optedIn } })
        return patched ? String(patched.optedIn) : 'not_found'
      }
      case 'change-owner': {
        const changed = await changeOwner({ db }, { ...subscription, changes: { tags: command.tags } })
        return `${named(changed.userId)} ${tagsText(changed.tags)}`
      }
      case 'rotate': {
        const rotation = { old: command.endpoint, new: { endpoint: command.to, keys: webKeys } }
        return named((await rotateSubscription({ db }, { appId, rotation })).id)
      }
      case 'change-user':
        return named((await changeUser({ db }, { appId, user, changes: { tags: command.tags } })).id)
      case 'delete-user':
        await deleteUser({ db, poke: () => undefined }, { appId, user })
        return 'done'
    }
  } catch (error) {
    if (Fault.is(error, 'not_found')) return 'not_found'
    throw error
  }
}

async function stored(appId: string): Promise<Model> {
  const users = await db.selectFrom('users').selectAll().where('app_id', '=', appId).execute()
  const devices = await db.selectFrom('subscriptions').selectAll().where('app_id', '=', appId).orderBy('id').execute()
  return {
    users: users.map(({ id, external_id, tags: kept }) => ({ id, externalId: external_id, tags: kept })),
    devices: devices.map((row) => ({ id: row.id, endpoint: row.address, userId: row.user_id, optedIn: row.opted_in })),
    made: 0,
  }
}

/** Gives a state in which each id that is not in `known` begins with `new`, as in the model. */
function relativeTo(known: Model, state: Model): Model {
  const isKnown = new Set([...known.users, ...known.devices].map(({ id }) => id))
  const named = (id: string) => (isKnown.has(id) ? id : `new ${id}`)
  return {
    ...state,
    users: state.users.map((user) => ({ ...user, id: named(user.id) })),
    devices: state.devices.map((one) => ({ ...one, id: named(one.id), userId: named(one.userId) })),
  }
}

function* orders<T>(items: T[]): Generator<T[]> {
  if (items.length === 0) yield []
  for (const [place, item] of items.entries()) for (const rest of orders(items.toSpliced(place, 1))) yield [item, ...rest]
}

/** Gives every result that some order of the commands leads to: the answers, in the order of `commands`, and the state. */
function possibleEnds(known: Model, commands: Command[]): Set<string> {
  const ends = new Set<string>()
  for (const order of orders([...commands.keys()])) {
    const answers: string[] = []
    let model = known
    for (const place of order) {
      const command = commands[place]
      if (!command) continue
      const applied = apply(model, command)
      model = applied.model
      answers[place] = applied.answer
    }
    ends.add([...answers, describeState(model)].join('\n'))
  }
  return ends
}

/** Runs rounds of commands, with all commands of a round at once. Gives the first round whose answers and state no order of its commands explains. */
async function findUnexplained(rounds: Plan[][]): Promise<{ commands: Command[]; end: string; possible: string[] } | undefined> {
  const appId = newId()
  let known = nobody
  for (const round of rounds) {
    const before = known
    const commands = round.map((planned) => commandOf(planned, before))
    const answers = await Promise.all(commands.map((command) => run(appId, before, command)))
    known = await stored(appId)
    const end = [...answers, describeState(relativeTo(before, known))].join('\n')
    const possible = possibleEnds(before, commands)
    if (!possible.has(end)) return { commands, end, possible: [...possible] }
  }
  return undefined
}

/** Each of the two tests runs thousands of transactions, which take minutes on a busy machine. */
const patience = { timeout: 300_000 }

// spec: identity/login, identity/logout, identity/rotate
test(
  '80 random sequences of registrations, logins, logouts, changes, rotations and deletions end as the identity rules say',
  patience,
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(plan, { minLength: 20, maxLength: 40 }), async (plans) => {
        expect(await findUnexplained(plans.map((one) => [one]))).toBeUndefined()
      }),
      { numRuns: 80 },
    )
  },
)

// spec: identity/login-parallel, identity/register-parallel
test('requests of four clients at once end as if one after another, without an error from a deadlock', patience, async () => {
  const round = fc.array(plan, { minLength: 2, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(fc.array(round, { minLength: 10, maxLength: 20 }), async (rounds) => {
      expect(await findUnexplained(rounds)).toBeUndefined()
    }),
    { numRuns: 80 },
  )
})
