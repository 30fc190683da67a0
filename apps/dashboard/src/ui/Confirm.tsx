import { useState, type ReactNode } from 'react'
import { isTyped as isTypedText } from '../core/typed-text.ts'
import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'
import { ErrorNote } from './ErrorNote.tsx'
import { Field } from './Field.tsx'
import { TextInput } from './TextInput.tsx'

/**
 * A dialog that asks the operator to confirm an action. With `typed` the operator must type that text first. The dialog closes when `onConfirm` has
 * succeeded.
 */
export function Confirm(props: {
  open: boolean
  onClose: () => void
  title: ReactNode
  children?: ReactNode
  action: string
  typed?: string | undefined
  danger?: boolean | undefined
  /** Whether the action can be confirmed yet; true when absent. */
  ready?: boolean | undefined
  onConfirm: () => Promise<unknown>
}) {
  return props.open ? <OpenConfirm {...props} /> : null
}

function OpenConfirm({ onClose, title, children, action, typed, danger, ready = true, onConfirm }: Parameters<typeof Confirm>[0]) {
  const [text, setText] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const isTyped = ready && (typed === undefined || isTypedText(text, typed))

  const confirm = async (): Promise<void> => {
    setBusy(true)
    setError(undefined)
    try {
      await onConfirm()
      onClose()
    } catch (fault) {
      setError(fault)
      setBusy(false)
    }
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      footer={
        <>
          <Button onClick={onClose}>Go back</Button>
          <Button type="submit" form="confirm" variant={danger === true ? 'danger' : 'primary'} busy={busy} disabled={!isTyped}>
            {action}
          </Button>
        </>
      }
    >
      <form
        id="confirm"
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (isTyped && !busy) void confirm()
        }}
      >
        {error !== undefined && <ErrorNote error={error} />}
        <div>{children}</div>
        {typed !== undefined && (
          <Field label={<>Type {typed} to continue</>}>
            {(control) => <TextInput {...control} value={text} onChange={(event) => setText(event.target.value)} autoFocus />}
          </Field>
        )}
      </form>
    </Dialog>
  )
}
