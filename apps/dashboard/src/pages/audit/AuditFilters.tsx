import { auditGroups, actionWords } from '../../core/audit-texts.ts'
import { fromLocalInput, toLocalInput } from '../../core/local-input.ts'
import { Button } from '../../ui/Button.tsx'
import { SearchField } from '../../ui/segment/SearchField.tsx'
import type { AuditSearch } from '../search.ts'
import { controlClass } from '../../ui/TextInput.tsx'

/** Shows the filters of the audit. The filters are in the address, so that a link shows a colleague the same lines. */
export function AuditFilters({ search, onChange }: { search: AuditSearch; onChange: (search: AuditSearch) => void }) {
  const { action = '', actor = '', subjectId = '', from = '', to = '' } = search
  const set = (name: keyof AuditSearch, value: string | undefined): void => {
    const { [name]: _, ...others } = search
    onChange(value === undefined || value === '' ? others : { ...others, [name]: value })
  }
  const isGroup = auditGroups.some(({ value }) => value === action)
  return (
    <div className="flex flex-wrap items-end gap-3" role="search" aria-label="Filter the audit">
      <label className="flex flex-col gap-1">
        <span className="text-muted text-xs">What</span>
        <select className={controlClass} value={action} onChange={({ target }) => set('action', target.value)}>
          <option value="">Everything</option>
          {action !== '' && !isGroup && <option value={action}>{actionWords(action)}</option>}
          {auditGroups.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <SearchField label="Actor (full name)" value={actor} onChange={(next) => set('actor', next)} />
      <SearchField label="Object ID" value={subjectId} onChange={(next) => set('subjectId', next)} />
      <Instant label="From" value={from} onChange={(next) => set('from', next)} />
      <Instant label="To" value={to} onChange={(next) => set('to', next)} />
      {Object.keys(search).length > 0 && (
        <Button variant="quiet" small onClick={() => onChange({})}>
          Clear all filters
        </Button>
      )}
    </div>
  )
}

function Instant({ label, value, onChange }: { label: string; value: string; onChange: (value: string | undefined) => void }) {
  return (
    <label className="flex flex-col gap-1">
      <span className="text-muted text-xs">{label}, your time</span>
      <input
        type="datetime-local"
        className={controlClass}
        value={toLocalInput(value)}
        onChange={({ target }) => onChange(fromLocalInput(target.value))}
      />
    </label>
  )
}
