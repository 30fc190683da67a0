import { useQuery } from '@tanstack/react-query'
import {
  operationsByScope,
  type Operation,
  adminScopeTexts,
  allAdminScopes,
  allScopes,
  scopeTexts,
  type AdminScope,
  type Scope,
} from '../../core/scopes.ts'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { askOutside } from '../../api/outside.ts'

type ScopeChoiceProps = { kind: 'secret' | 'public'; scopes: readonly Scope[]; onChange: (scopes: Scope[]) => void }

/** Reads the OpenAPI document of the public API. */
const readDocument = async ({ signal }: { signal: AbortSignal }): Promise<unknown> => (await askOutside('/openapi.json', { signal })).json()

/** Lets the operator choose what a key may do, and lists the operations that each scope allows. A public key has one scope, so there is no choice. */
export function ScopeChoice({ kind, scopes, onChange }: ScopeChoiceProps) {
  const { data, isError } = useQuery({ queryKey: ['public-document'], queryFn: readDocument, staleTime: Infinity, retry: false })
  const opened = operationsByScope(data, kind)
  if (kind === 'public') {
    return (
      <div className="flex flex-col gap-1">
        <p>A public key has the scope subscriptions:write and no other.</p>
        <Operations operations={opened.get('subscriptions:write') ?? []} />
      </div>
    )
  }
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">Scopes</legend>
      {isError && <p className="text-muted text-xs">The operations of each scope could not be loaded. The scopes still work.</p>}
      {allScopes.map((scope) => (
        <div key={scope} className="flex flex-col gap-0.5">
          <Checkbox
            label={scope}
            hint={scopeTexts[scope]}
            checked={scopes.includes(scope)}
            onChange={({ target }) =>
              onChange(
                target.checked
                  ? allScopes.filter((known) => known === scope || scopes.includes(known))
                  : scopes.filter((known) => known !== scope),
              )
            }
          />
          <Operations operations={opened.get(scope) ?? []} />
        </div>
      ))}
      <p className="flex gap-2">
        <Button type="button" variant="quiet" small onClick={() => onChange(allScopes)}>
          All
        </Button>
        <Button type="button" variant="quiet" small onClick={() => onChange([])}>
          None
        </Button>
      </p>
    </fieldset>
  )
}

function Operations({ operations }: { operations: readonly Operation[] }) {
  if (operations.length === 0) return null
  return (
    <details className="ml-6 text-xs">
      <summary className="text-muted cursor-pointer py-1">
        opens {operations.length} {operations.length === 1 ? 'operation' : 'operations'}
      </summary>
      <ul className="flex flex-col gap-0.5 py-1">
        {operations.map(({ method, path, summary }) => (
          <li key={`${method} ${path}`}>
            <code className="break-all">
              {method} {path}
            </code>{' '}
            <span className="text-muted">{summary}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}

/** Lets the operator choose what a person or tool may do in the app. */
export function AdminScopeChoice({ scopes, onChange }: { scopes: readonly AdminScope[]; onChange: (scopes: AdminScope[]) => void }) {
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">Scopes</legend>
      {allAdminScopes.map((scope) => (
        <Checkbox
          key={scope}
          label={scope}
          hint={adminScopeTexts[scope]}
          checked={scopes.includes(scope)}
          onChange={({ target }) => onChange(allAdminScopes.filter((known) => (known === scope ? target.checked : scopes.includes(known))))}
        />
      ))}
    </fieldset>
  )
}
