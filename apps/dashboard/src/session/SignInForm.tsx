import { useState } from 'react'
import { faultOf } from '../api/fault.ts'
import { Button } from '../ui/Button.tsx'
import { Field } from '../ui/Field.tsx'
import { TextInput } from '../ui/TextInput.tsx'
import { signIn } from './session.ts'

/**
 * Asks for the administration token, or an administration key, and a name. The page keeps no copy: the field is emptied as soon as Herald has accepted it.
 */
export function SignInForm({ knownName, onDone }: { knownName?: string | undefined; onDone?: () => void }) {
  const [token, setToken] = useState('')
  const [name, setName] = useState(knownName ?? '')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()

  const begin = async (): Promise<void> => {
    if (token.trim() === '') return setProblem('Type or paste the administration token or your key.')
    setBusy(true)
    setProblem(undefined)
    try {
      await signIn(token.trim(), name.trim())
      setToken('')
      onDone?.()
    } catch (error) {
      setProblem(explained(error))
    } finally {
      setBusy(false)
    }
  }

  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        void begin()
      }}
    >
      <Field label="Your name" hint="Shown next to your changes in the audit log (not verified). You may leave it empty.">
        {(control) => (
          <TextInput {...control} autoComplete="username" maxLength={64} value={name} onChange={(event) => setName(event.target.value)} />
        )}
      </Field>
      <Field
        label="Administration token or key"
        error={problem}
        hint={
          <>
            A key begins with <code className="font-mono text-xs">ak_live_</code>; your administrator creates it on the page Keys.{' '}
            <code className="font-mono text-xs">npm start</code> prints the token, and a link that signs you in without it. With Docker:
            <code className="mt-1 block rounded bg-sunken px-2 py-1 font-mono text-xs break-words">
              docker compose exec gateway cat /run/secrets/ADMIN_TOKEN
            </code>
          </>
        }
      >
        {(control) => (
          <TextInput
            {...control}
            type="password"
            autoComplete="current-password"
            value={token}
            autoFocus
            data-first
            onChange={(event) => setToken(event.target.value)}
          />
        )}
      </Field>
      <Button type="submit" variant="primary" busy={busy}>
        Sign in
      </Button>
    </form>
  )
}

function explained(error: unknown): string {
  const { status, message, retryAfterSeconds, details } = faultOf(error)
  if (status === 401) return 'This is neither the administration token of this Herald nor one of its keys.'
  if (status === 429) return `Too many wrong tokens or keys. Try again in ${retryAfterSeconds ?? 60} seconds.`
  if (status === 404) return 'Sign-in is switched off on this server. Tell your administrator: the gateway runs without ADMIN_TOKEN.'
  return details[0] === undefined ? message : `${details[0].path} ${details[0].message}`
}
