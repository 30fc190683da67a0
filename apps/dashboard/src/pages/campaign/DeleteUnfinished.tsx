import { useState } from 'react'
import { client } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import { announce } from '../../ui/Announcer.tsx'
import { Button } from '../../ui/Button.tsx'

/** A button that deletes a message that nobody has finished. Nothing of it was sent, and no campaign is made of it. */
export function DeleteUnfinished({
  appId,
  id,
  label = 'Discard',
  onDeleted,
}: {
  appId: string
  id: string
  label?: string
  onDeleted: () => void
}) {
  const [busy, setBusy] = useState(false)
  const remove = async (): Promise<void> => {
    setBusy(true)
    try {
      await client.DELETE('/v1/admin/apps/{appId}/drafts/{id}', { params: { path: { appId, id } } })
      announce('The draft is deleted')
    } catch (error) {
      // Somebody else has deleted it.
      if (faultOf(error).status !== 404) announce(faultOf(error).message, 'bad')
    }
    setBusy(false)
    onDeleted()
  }
  return (
    <Button needed="send" small variant="quiet" busy={busy} onClick={() => void remove()}>
      {label}
    </Button>
  )
}
