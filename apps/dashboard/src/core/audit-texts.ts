/** The filters of the audit page. `value` is how the actions of a group begin. */
export const auditGroups = [
  { value: 'app.', label: 'App' },
  { value: 'identity-secret.', label: 'Identity secret' },
  { value: 'key.', label: 'Keys' },
  { value: 'admin-key.', label: 'Keys for people and tools' },
  { value: 'provider.', label: 'Providers' },
  { value: 'segment.', label: 'Segments' },
  { value: 'template.', label: 'Templates' },
  { value: 'category.', label: 'Categories' },
  { value: 'campaign.', label: 'Campaigns' },
  { value: 'draft.', label: 'Incomplete drafts' },
  { value: 'picture.', label: 'Images' },
  { value: 'webhook.', label: 'Webhooks' },
  { value: 'user.', label: 'Users' },
  { value: 'users.', label: 'User exports' },
  { value: 'pushes.', label: 'Delivery log exports' },
  { value: 'device.', label: 'Devices' },
  { value: 'import.', label: 'Imports' },
  { value: 'test.', label: 'Tests' },
  { value: 'holdout.', label: 'Control group' },
  { value: 'simulator.', label: 'Virtual devices' },
] as const

/** The codes say some things with another word than the dashboard. */
const renamed: Record<string, string> = { holdout: 'control group', redrawn: 'reset', picture: 'image' }
const partWords = (part: string): string => renamed[part] ?? part.replaceAll('-', ' ')

/** Writes an action in words: `campaign.winner-picked` becomes "campaign: winner picked". */
export function actionWords(action: string): string {
  const dot = action.indexOf('.')
  if (dot === -1) return action
  return `${partWords(action.slice(0, dot))}: ${partWords(action.slice(dot + 1))}`
}

/** Gives the details of an audit entry as pairs of a name and a text. A list of texts is joined with commas; any other value becomes JSON. */
export const subjectParts = (subject: Record<string, unknown>): { name: string; text: string }[] =>
  Object.entries(subject).map(([name, value]) => ({ name, text: textOf(value) }))

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(', ')
  return JSON.stringify(value) ?? ''
}

/** Gives an audit entry as a row of the CSV. */
export const auditRow = (entry: {
  createdAt: string
  actor: string
  action: string
  subject: Record<string, unknown>
  requestId: string | null
  id: string
}): string[] => [entry.createdAt, entry.actor, entry.action, JSON.stringify(entry.subject), entry.requestId ?? '', entry.id]

export const auditHead = ['createdAt', 'actor', 'action', 'subject', 'requestId', 'id']

/** A spreadsheet takes a cell that begins with one of these characters for a formula. */
const formula = /^[=+\-@\t\r]/

/** Writes a cell of a CSV. A cell that begins like a formula gets an apostrophe before it, so that a spreadsheet shows it and does not run it. */
export function csvCell(value: string): string {
  const safe = formula.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Writes a CSV with a header and the line ends of RFC 4180. */
export const csvOf = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, ...rows].map((row) => `${row.map(csvCell).join(',')}\r\n`).join('')
