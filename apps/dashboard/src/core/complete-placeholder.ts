import { filterArity, filterNames, type FilterName } from '@herald/contracts/placeholder-filter'
import { placeholderFields } from '@herald/contracts/placeholder-syntax'

/** A tag that users of the app have, with some of its values. */
export type KnownTag = { name: string; values: readonly string[] }

export type Suggestion = {
  /** The text that replaces the typed part. */
  insert: string
  label: string
  hint: string
  kind: 'name' | 'filter'
}

/** The suggestions for a part of a text. The chosen one replaces the characters from `from` to `to`. */
export type Completion = { from: number; to: number; suggestions: Suggestion[] }

const mostSuggestions = 50

const hintOfField: Readonly<Record<string, string>> = {
  'user.id': 'the platform’s id of the person',
  'user.externalId': 'your own id of the person',
  'user.language': 'such as de or pt-BR',
  'user.timezone': 'such as Europe/Vienna',
  'user.country': 'such as AT',
  'user.createdAt': 'when the person was first seen',
  'subscription.id': 'the device',
  'subscription.platform': 'ios, android or web',
  'subscription.appVersion': 'the app’s version on the device',
  'subscription.deviceModel': 'such as iPhone16,2',
  'subscription.browser': 'of web devices',
  'campaign.id': 'the ID of this campaign',
  'campaign.name': 'the name of this campaign',
}

const hintOfFilter: Readonly<Record<FilterName, string>> = {
  default: 'default value',
  upcase: 'uppercase',
  downcase: 'lowercase',
  capitalize: 'first letter uppercase, the rest lowercase',
  strip: 'remove spaces at both ends',
  truncate: 'shorten to a length',
  date: 'a date or a time, in the person’s zone',
  plus: 'add a number',
  minus: 'subtract a number',
  times: 'multiply',
  divided_by: 'divide',
  round: 'round to a number of digits',
  url_encode: 'for use in a link',
}

const argumentOf: Partial<Record<FilterName, string>> = { default: ': "friend"', truncate: ': 50', date: ': "%d %B"', round: ': 2' }

/**
 * Gives what can be typed at the cursor: names after `{{`, filters after `|`. Gives undefined where nothing fits, as outside a placeholder, in a
 * quoted text or in an argument of a filter.
 */
export function completeAt(
  text: string,
  cursor: number,
  tags: readonly KnownTag[],
  dataKeys: readonly string[] = [],
): Completion | undefined {
  const open = openTagBefore(text, cursor)
  if (open === undefined) return undefined
  const typed = text.slice(open, cursor)
  const bar = typed.lastIndexOf('|')
  const word = /[\p{L}\p{N}_.:$-]*$/u.exec(typed)?.[0] ?? ''
  const before = typed.slice(bar + 1, typed.length - word.length).trim()
  if (before !== '' && !(bar === -1 && before === '-')) return undefined
  const options = bar === -1 ? namesFor(word, tags, dataKeys) : filtersFor(word)
  const rest = /^[\p{L}\p{N}_.:$-]*/u.exec(text.slice(cursor))?.[0] ?? ''
  return options.length === 0
    ? undefined
    : { from: cursor - word.length, to: cursor + rest.length, suggestions: options.slice(0, mostSuggestions) }
}

/**
 * Gives the place just after the `{{` of the placeholder in which the cursor is. Gives undefined when the cursor is in no placeholder, or in a quoted
 * text.
 */
function openTagBefore(text: string, cursor: number): number | undefined {
  const open = text.lastIndexOf('{{', cursor - 1)
  if (open === -1 || open + 2 > cursor) return undefined
  let quote = ''
  for (let at = open + 2; at < cursor; at += 1) {
    const character = text[at] ?? ''
    if (quote !== '') {
      if (character === '\\') at += 1
      else if (character === quote) quote = ''
    } else if (character === '"' || character === "'") quote = character
    else if (character === '}' && text[at + 1] === '}') return undefined
  }
  return quote === '' ? open + 2 : undefined
}

/** Writes a tag as a placeholder reads it. A name with a character at which Liquid would end the name is written in brackets. */
export const writtenTag = (name: string): string =>
  /^[\w\P{ASCII}](?:[\w.\-\P{ASCII}]*[\w\P{ASCII}])?$/u.test(name) && !/[\s“”]/u.test(name)
    ? `tags.${name}`
    : `tags[${JSON.stringify(name)}]`

function namesFor(word: string, tags: readonly KnownTag[], dataKeys: readonly string[]): Suggestion[] {
  const ofTags = tags.map(({ name, values }): Suggestion => ({
    insert: writtenTag(name),
    label: `tags.${name}`,
    hint: sampleHint(values),
    kind: 'name',
  }))
  const ofFields = [...placeholderFields].flatMap(([root, fields]) =>
    [...fields].map((field): Suggestion => ({
      insert: `${root}.${field}`,
      label: `${root}.${field}`,
      hint: hintOfField[`${root}.${field}`] ?? '',
      kind: 'name',
    })),
  )
  const ofData = dataKeys.map((key): Suggestion => ({
    insert: `data.${key}`,
    label: `data.${key}`,
    hint: 'of this message’s data',
    kind: 'name',
  }))
  return matching([...ofTags, ...ofFields, ...ofData], word)
}

const sampleHint = (values: readonly string[]): string => (values.length === 0 ? '' : `such as ${values.slice(0, 3).join(', ')}`)

const filtersFor = (word: string): Suggestion[] =>
  matching(
    filterNames.map((name): Suggestion => {
      const { least } = filterArity(name)
      const argument = argumentOf[name] ?? (least > 0 ? ': 1' : '')
      return { insert: `${name}${argument}`, label: `${name}${argument}`, hint: hintOfFilter[name], kind: 'filter' }
    }),
    word,
  )

/** Gives the suggestions that contain the typed word; those that begin with the word come first. */
function matching(all: Suggestion[], word: string): Suggestion[] {
  const wanted = word.toLowerCase()
  const place = ({ label }: Suggestion) => {
    const at = label.toLowerCase().indexOf(wanted)
    return at === -1 ? 2 : Math.min(at, 1)
  }
  return all.filter((one) => place(one) < 2).toSorted((one, other) => place(one) - place(other))
}

/** Puts a suggestion into the text and says where the cursor goes. Writes the closing `}}` when it is missing. */
export function insertSuggestion(text: string, { from, to }: Completion, { insert, kind }: Suggestion): { text: string; cursor: number } {
  const before = text.slice(0, from)
  const behind = text.slice(to)
  const space = /(?:\{\{|\|)-?$/.test(before) ? ' ' : ''
  const isClosed = /^[^{}]*\}\}/.test(behind)
  const end = isClosed ? '' : ' }}'
  // A filter often follows a name, so after a name the cursor stays before the `}}`. After a filter the cursor goes behind the `}}`, if this function
  // has added it.
  const written = `${before}${space}${insert}`
  return { text: `${written}${end}${behind}`, cursor: written.length + (kind === 'filter' ? end.length : 0) }
}
