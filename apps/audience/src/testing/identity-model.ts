import type { Tags } from '@herald/contracts/text'

/**
 * A request of the random test in identity.long.integration.test.ts, which sends the requests of a round at once. `subscriptionId`: a device from
 * before the round, which another request may delete. `register` and `rotate` name an endpoint, which another may make.
 */
export type Command =
  | { do: 'register'; endpoint: string; externalId: string | null; tags: Tags }
  | { do: 'login'; subscriptionId: string; externalId: string }
  | { do: 'logout' | 'delete'; subscriptionId: string }
  | { do: 'patch'; subscriptionId: string; optedIn: boolean }
  | { do: 'change-owner'; subscriptionId: string; tags: Tags }
  | { do: 'rotate'; endpoint: string; to: string }
  | { do: 'change-user' | 'delete-user'; externalId: string; tags: Tags }

type ModelUser = { id: string; externalId: string | null; tags: Tags }
type ModelDevice = { id: string; endpoint: string; userId: string; optedIn: boolean }

/** The users and devices that an app should have. Every command gives a new model. Ids of users and devices that a round makes begin with `new`. */
export type Model = { users: readonly ModelUser[]; devices: readonly ModelDevice[]; made: number }

export const nobody: Model = { users: [], devices: [], made: 0 }

/**
 * The model after a command, and the command's answer: `new` stands for the random id of a user or device that the round made; a refused command
 * gives the code of its fault.
 */
export type Applied = { model: Model; answer: string }

/**
 * Applies a command to a model. These are the identity rules (docs/specification/identity.md) written a second time, for lists instead of tables and
 * one command at a time.
 */
export function apply(model: Model, command: Command): Applied {
  switch (command.do) {
    case 'register':
      return register(model, command)
    case 'rotate':
      return rotate(model, command)
    case 'change-user':
    case 'delete-user':
      return onUser(model, command)
    default:
      return onDevice(model, command)
  }
}

function register(model: Model, { endpoint, externalId, tags }: Command & { do: 'register' }): Applied {
  const known = model.devices.find((device) => device.endpoint === endpoint)
  const [owned, userId] = ownerFor(model, known?.userId ?? null, externalId)
  const [made, id] = known ? [owned, known.id] : nextId(owned)
  const devices = [...made.devices.filter((device) => device.id !== id), { id, endpoint, userId, optedIn: true }]
  return { model: tidy(merge({ ...made, devices }, userId, tags)), answer: `${kind(id)} of ${kind(userId)}` }
}

function onDevice(model: Model, command: Extract<Command, { subscriptionId: string }>): Applied {
  const device = model.devices.find(({ id }) => id === command.subscriptionId)
  if (!device) return { model, answer: 'not_found' }
  const replaced = (change: Partial<ModelDevice>, from = model): Model =>
    tidy({ ...from, devices: from.devices.map((one) => (one.id === device.id ? { ...one, ...change } : one)) })
  switch (command.do) {
    case 'login': {
      const [owned, userId] = ownerFor(model, device.userId, command.externalId)
      return { model: replaced({ userId }, owned), answer: kind(userId) }
    }
    case 'logout': {
      const [made, userId] = nextId(model)
      const users = [...made.users, { id: userId, externalId: null, tags: {} }]
      return { model: replaced({ userId }, { ...made, users }), answer: kind(userId) }
    }
    case 'delete':
      return { model: tidy({ ...model, devices: model.devices.filter(({ id }) => id !== device.id) }), answer: 'done' }
    case 'patch':
      return { model: replaced({ optedIn: command.optedIn }), answer: String(command.optedIn) }
    case 'change-owner': {
      const merged = merge(model, device.userId, command.tags)
      return {
        model: merged,
        answer: `${kind(device.userId)} ${tagsText(merged.users.find(({ id }) => id === device.userId)?.tags ?? {})}`,
      }
    }
  }
}

function rotate(model: Model, { endpoint, to }: Command & { do: 'rotate' }): Applied {
  const device = model.devices.find((one) => one.endpoint === endpoint)
  if (!device) return { model, answer: 'not_found' }
  const others = model.devices.filter((one) => one.id !== device.id && one.endpoint !== to)
  return { model: tidy({ ...model, devices: [...others, { ...device, endpoint: to }] }), answer: kind(device.id) }
}

function onUser(model: Model, command: Command & { do: 'change-user' | 'delete-user' }): Applied {
  const { externalId } = command
  const user = model.users.find((one) => one.externalId === externalId)
  if (command.do === 'change-user') {
    const [made, id] = user ? [model, user.id] : addUser(model, externalId)
    return { model: merge(made, id, command.tags), answer: kind(id) }
  }
  if (!user) return { model, answer: 'not_found' }
  const users = model.users.filter(({ id }) => id !== user.id)
  return { model: { ...model, users, devices: model.devices.filter(({ userId }) => userId !== user.id) }, answer: 'done' }
}

/**
 * Decides who owns a device after a login or a registration. Gives the model with that user, and the user's id
 * (spec: identity/login-renames, identity/login-joins, identity/login-same, identity/login-moves).
 */
function ownerFor(model: Model, ownerId: string | null, externalId: string | null): [Model, string] {
  const owner = model.users.find(({ id }) => id === ownerId)
  if (externalId === null) return owner ? [model, owner.id] : addUser(model, null)
  const holder = model.users.find((user) => user.externalId === externalId)
  if (holder) return [model, holder.id]
  if (!owner || owner.externalId !== null) return addUser(model, externalId)
  return [{ ...model, users: model.users.map((user) => (user === owner ? { ...user, externalId } : user)) }, owner.id]
}

function addUser(model: Model, externalId: string | null): [Model, string] {
  const [made, id] = nextId(model)
  return [{ ...made, users: [...made.users, { id, externalId, tags: {} }] }, id]
}

const nextId = (model: Model): [Model, string] => [{ ...model, made: model.made + 1 }, `new ${model.made + 1}`]

const merge = (model: Model, userId: string, tags: Tags): Model => ({
  ...model,
  users: model.users.map((user) => (user.id === userId ? { ...user, tags: { ...user.tags, ...tags } } : user)),
})

/** Removes anonymous users without devices. */
const tidy = (model: Model): Model => ({
  ...model,
  users: model.users.filter(({ id, externalId }) => externalId !== null || model.devices.some(({ userId }) => userId === id)),
})

export const kind = (id: string): string => (id.startsWith('new') ? 'new' : id)
export const tagsText = (tags: Tags): string => JSON.stringify(Object.entries(tags).toSorted(([one], [other]) => one.localeCompare(other)))

/** Describes a state as text, in the same way for the model and for the database. */
export const describeState = ({ users, devices }: Pick<Model, 'users' | 'devices'>): string =>
  users
    .map(({ id, externalId, tags }) => {
      const owned = devices.filter(({ userId }) => userId === id)
      const names = owned.map((device) => `${device.endpoint}=${kind(device.id)}${device.optedIn ? '' : ' out'}`).toSorted()
      return `${externalId ?? 'anonymous'} ${kind(id)} ${tagsText(tags)}: ${names.join(', ')}`
    })
    .toSorted()
    .join('\n')
