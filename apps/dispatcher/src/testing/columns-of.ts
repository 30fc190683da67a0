import { packIds } from '@herald/contracts/compact-ids'
import { shortColumn, type Column, type Recipient, type RecipientColumns } from '@herald/contracts/recipient'

/** Recipients as audience would answer them. */
export function columnsOf(recipients: readonly Recipient[]): RecipientColumns {
  const column = <Value>(read: (recipient: Recipient) => Value) => shortColumn(recipients.map(read))
  return {
    places: recipients.map(({ place }) => place),
    firstPlace: 0,
    subscriptionIds: packIds(recipients.map(({ subscriptionId }) => subscriptionId)),
    userIds: packIds(recipients.map(({ userId }) => userId)),
    addresses: recipients.map(({ address }) => address),
    p256dh: column(({ keys }) => keys?.p256dh ?? null),
    auth: column(({ keys }) => keys?.auth ?? null),
    tokenVersions: recipients.map(({ tokenVersion }) => tokenVersion),
    environments: column(({ environment }) => environment),
    languages: column(({ language }) => language),
    timezones: column(({ timezone }) => timezone),
    user: byName(recipients.map(({ user }) => user)),
    tags: byName(recipients.map(({ tags }) => tags)),
    subscription: byName(recipients.map(({ subscription }) => subscription)),
  }
}

function byName<Value>(records: Readonly<Record<string, Value>>[]): Record<string, Column<Value | null>> {
  const names = new Set(records.flatMap((record) => Object.keys(record)))
  return Object.fromEntries([...names].map((name) => [name, records.map((record) => record[name] ?? null)]))
}
