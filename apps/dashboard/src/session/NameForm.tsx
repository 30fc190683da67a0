import { useState } from 'react'
import { faultOf } from '../api/fault.ts'
import { Button } from '../ui/Button.tsx'
import { Field } from '../ui/Field.tsx'
import { TextInput } from '../ui/TextInput.tsx'
import { signInByLink } from './session.ts'

/** Asks who follows a sign-in link that names nobody, and signs in with it. `onUsed`: the link has signed in or does not work any more. */
export function NameForm({ onUsed }: { onUsed: () => void }) {
  const [name, setName] = useState('')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()

  const begin = async (): Promise<void> => {
    setBusy(true)
    setProblem(undefined)
    try {
      await signInByLink(name.trim())
      onUsed()
    } catch (error) {
      setProblem(faultOf(error).message)
    }
    setBusy(false)
  }

  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        void begin()
      }}
    >
      <Field label="Your name" error={problem} hint="Shown next to your changes in the audit log (not verified). You may leave it empty.">
        {(control) => (
          <TextInput
            {...control}
            autoComplete="username"
            maxLength={64}
            value={name}
            autoFocus
            data-first
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Button type="submit" variant="primary" busy={busy}>
        Open the dashboard
      </Button>
    </form>
  )
}
