import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { client } from '../../api/client.ts'
import { queryClient } from '../../api/queryClient.ts'
import { announce } from '../../ui/Announcer.tsx'
import { Button } from '../../ui/Button.tsx'
import { Confirm } from '../../ui/Confirm.tsx'

/** A button that deletes a draft, after a question, and leads to the list of campaigns. `onDeleted` is called before the page is left. */
export function DeleteDraft({
  appId,
  campaignId,
  name,
  onDeleted,
}: {
  appId: string
  campaignId: string
  name: string
  onDeleted?: () => void
}) {
  const navigate = useNavigate()
  const [isAsking, setAsking] = useState(false)
  const remove = async (): Promise<void> => {
    await client.DELETE('/v1/admin/apps/{appId}/campaigns/{id}', { params: { path: { appId, id: campaignId } } })
    onDeleted?.()
    announce('The draft is deleted')
    await queryClient.invalidateQueries({ queryKey: ['get', '/v1/admin/apps/{appId}/campaigns'] })
    await navigate({ to: '/apps/$appId/campaigns', params: { appId } })
  }
  return (
    <>
      <Button needed="send" variant="quiet" onClick={() => setAsking(true)}>
        Delete draft
      </Button>
      <Confirm open={isAsking} onClose={() => setAsking(false)} title={`Delete “${name}”?`} action="Delete draft" danger onConfirm={remove}>
        It has not been sent. This cannot be undone.
      </Confirm>
    </>
  )
}
