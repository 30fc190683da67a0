import { attributions, type AttributedHow, type ConversionCount, type ConversionCounts } from '@herald/contracts/conversion'
import type { Platform } from '@herald/contracts/platform'

/** A new conversion that is attributed to a push. `isNewUser`: the first of its user with this name in the campaign. */
export type NewConversion = {
  campaignId: string
  day: string
  variant: string
  name: string
  platform: Platform
  how: AttributedHow
  value: string | null
  currency: string
  isNewUser: boolean
}

type NameMove = Omit<ConversionCount, 'value'> & { campaign_id: string; variant: string; name: string; currency: string; value: string }

/** Adds up new conversions by campaign, variant, name and currency, by campaign, and by platform, each in the order in which all writers lock rows. */
export function conversionMoves(appId: string, fresh: readonly NewConversion[]) {
  const names = new Map<string, NameMove>()
  const campaigns = new Map<string, { campaign_id: string; converted: number }>()
  const hours = new Map<string, { app_id: string; platform: Platform; converted: number }>()
  for (const { campaignId, day, variant, name, platform, how, value, currency, isNewUser } of fresh) {
    const moveOf = (of: string): NameMove =>
      madeOnce(names, [campaignId, variant, name, of].join(' '), () => {
        return { campaign_id: campaignId, variant, name, currency: of, count: 0, direct: 0, influenced: 0, users: 0, value: '0' }
      })
    const numbers = moveOf('')
    numbers.count += 1
    numbers[how] += 1
    if (isNewUser) numbers.users += 1
    if (value !== null) {
      const sum = moveOf(currency)
      sum.value = addDecimals(sum.value, value)
    }
    madeOnce(campaigns, `${day} ${campaignId}`, () => ({ campaign_id: campaignId, converted: 0 })).converted += 1
    madeOnce(hours, platform, () => ({ app_id: appId, platform, converted: 0 })).converted += 1
  }
  return { names: inOrder(names), campaigns: inOrder(campaigns), hours: inOrder(hours) }
}

function madeOnce<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const known = map.get(key) ?? make()
  map.set(key, known)
  return known
}

const inOrder = <Move>(moves: Map<string, Move>): Move[] =>
  [...moves].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, move]) => move)

/** A row of `campaign_conversions`. `value` is a decimal number. */
export type ConversionRow = Omit<ConversionCount, 'value'> & { variant: string; name: string; currency: string; value: string }

/** Gives the conversions of a campaign, in all and by variant, from its rows. A user has one variant of a campaign, so the variants add up. */
export function conversionCounts(rows: readonly ConversionRow[]): { all: ConversionCounts; byVariant: Map<string, ConversionCounts> } {
  const all: ConversionCounts = {}
  const byVariant = new Map<string, ConversionCounts>()
  for (const row of rows) {
    add(all, row)
    if (row.variant !== '')
      add(
        madeOnce(byVariant, row.variant, () => ({})),
        row,
      )
  }
  return { all, byVariant }
}

function add(counts: ConversionCounts, { name, currency, value, ...row }: ConversionRow): void {
  const sum = (counts[name] ??= { count: 0, direct: 0, influenced: 0, users: 0, value: {} })
  for (const field of ['count', 'users', ...attributions] as const) sum[field] += row[field]
  if (currency !== '') sum.value[currency] = addDecimals(sum.value[currency] ?? '0', value)
}

/** Adds two decimal numbers exactly. The sum has 2 to 4 decimals. */
export const addDecimals = (one: string, other: string): string => decimalOf(tenThousandths(one) + tenThousandths(other))

/** Reads a decimal number with at most 4 decimals as a whole number of ten-thousandths, so that sums are exact. */
function tenThousandths(decimal: string): bigint {
  const [, sign = '', whole = '0', decimals = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(decimal) ?? []
  const size = BigInt(whole + decimals.padEnd(4, '0').slice(0, 4))
  return sign === '-' ? -size : size
}

/** Writes a whole number of ten-thousandths as a decimal number with 2 to 4 decimals. */
function decimalOf(tenThousandths: bigint): string {
  const size = tenThousandths < 0n ? -tenThousandths : tenThousandths
  const decimals = (size % 10_000n)
    .toString()
    .padStart(4, '0')
    .replace(/0{1,2}$/, '')
  return `${tenThousandths < 0n ? '-' : ''}${size / 10_000n}.${decimals}`
}
