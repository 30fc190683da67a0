/*
 * Tags as an operator edits them: each has a name, a type and its text. A tag keeps its type, so that a segment that asks for a number finds a number.
 */

export type TagValue = string | number | boolean
export type TagType = 'text' | 'number' | 'yes_no'
/** One line of the editor. `was`: the value that the user has now; absent: a new tag. `remove`: it is to be deleted. */
export type TagDraft = { name: string; type: TagType; text: string; was?: TagValue; remove?: boolean }

export const tagTypes: readonly { value: TagType; label: string }[] = [
  { value: 'text', label: 'Text' },
  { value: 'number', label: 'Number' },
  { value: 'yes_no', label: 'Yes or no' },
]

const typeOf = (value: TagValue): TagType => (typeof value === 'number' ? 'number' : typeof value === 'boolean' ? 'yes_no' : 'text')

/** The editor's lines for the tags of a user, by name. */
export const draftsOf = (tags: Readonly<Record<string, TagValue>>): TagDraft[] =>
  Object.entries(tags)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, was]) => ({ name, type: typeOf(was), text: String(was), was }))

/** The value that a line stands for, or what is wrong with it. */
export function valueOfDraft({ type, text }: TagDraft): { ok: true; value: TagValue } | { ok: false; problem: string } {
  if (type === 'text') return { ok: true, value: text }
  if (type === 'yes_no') return { ok: true, value: text === 'true' }
  const value = Number(text.trim())
  const isNumber = text.trim() !== '' && Number.isFinite(value)
  return isNumber ? { ok: true, value } : { ok: false, problem: 'must be a number, such as 42 or 1.5' }
}

/** A line with another type; its text stays as far as it means the same. */
export function withType(draft: TagDraft, type: TagType): TagDraft {
  if (type === 'yes_no') return { ...draft, type, text: draft.text === 'true' ? 'true' : 'false' }
  return { ...draft, type }
}

export type TagChanges = Record<string, TagValue | null>
export type TagProblem = { name: string; place: number; problem: string }

/**
 * The changes to send for the edited lines: only what differs from what the user has, null for a deleted tag. A line whose value cannot be read is a
 * problem; names and lengths are checked by the server.
 */
export function changesOf(drafts: readonly TagDraft[]): { changes: TagChanges; problems: TagProblem[] } {
  // A record without a prototype: `__proto__` is a name like any other here, and the server refuses it by its name.
  const changes = Object.create(null) as TagChanges
  const problems: TagProblem[] = []
  const seen = new Set<string>()
  drafts.forEach((draft, place) => {
    const name = draft.name.trim()
    const refuse = (problem: string) => problems.push({ name, place, problem })
    if (name === '') return refuse('must have a name')
    if (seen.has(name)) return refuse(`is there twice: ${name}`)
    seen.add(name)
    if (draft.remove === true) {
      if (draft.was !== undefined) changes[name] = null
      return
    }
    const read = valueOfDraft(draft)
    if (!read.ok) return refuse(read.problem)
    if (read.value !== draft.was) changes[name] = read.value
  })
  return { changes, problems }
}
