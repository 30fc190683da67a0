/*
 * Tags while an operator edits them: each has a name, a type and a text. A tag keeps its type, because a segment that compares it with a number finds
 * only numbers.
 */

export type TagValue = string | number | boolean
export type TagType = 'text' | 'number' | 'yes_no'
/** A row of the editor. `was` is the value that the user has now, missing for a new tag. `remove` says that the tag is to be deleted. */
export type TagDraft = { name: string; type: TagType; text: string; was?: TagValue; remove?: boolean }

export const tagTypes: readonly { value: TagType; label: string }[] = [
  { value: 'text', label: 'Text' },
  { value: 'number', label: 'Number' },
  { value: 'yes_no', label: 'Yes/No' },
]

const typeOf = (value: TagValue): TagType => (typeof value === 'number' ? 'number' : typeof value === 'boolean' ? 'yes_no' : 'text')

/** Gives the rows of the editor for the tags of a user, sorted by name. */
export const draftsOf = (tags: Readonly<Record<string, TagValue>>): TagDraft[] =>
  Object.entries(tags)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, was]) => ({ name, type: typeOf(was), text: String(was), was }))

/** Reads the value of a row, or says what is wrong with it. */
function valueOfDraft({ type, text }: TagDraft): { ok: true; value: TagValue } | { ok: false; problem: string } {
  if (type === 'text') return { ok: true, value: text }
  if (type === 'yes_no') return { ok: true, value: text === 'true' }
  const value = Number(text.trim())
  const isNumber = text.trim() !== '' && Number.isFinite(value)
  return isNumber ? { ok: true, value } : { ok: false, problem: 'must be a number, such as 42 or 1.5' }
}

/** Changes the type of a row. For "yes or no" a text other than `true` becomes `false`. */
export function withType(draft: TagDraft, type: TagType): TagDraft {
  if (type === 'yes_no') return { ...draft, type, text: draft.text === 'true' ? 'true' : 'false' }
  return { ...draft, type }
}

export type TagChanges = Record<string, TagValue | null>
export type TagProblem = { name: string; place: number; problem: string }

/**
 * Gives the changes to send: only tags that differ from what the user has, with null for a deleted tag. A row whose value cannot be read is a
 * problem. Herald checks names and lengths.
 */
export function changesOf(drafts: readonly TagDraft[]): { changes: TagChanges; problems: TagProblem[] } {
  // A record without a prototype, so that a tag named `__proto__` is sent like any other and Herald refuses it by its name.
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
