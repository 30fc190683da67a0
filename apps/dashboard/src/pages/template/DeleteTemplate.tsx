import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { client } from '../../api/client.ts'
import { announce } from '../../ui/Announcer.tsx'
import { Button } from '../../ui/Button.tsx'
import { Confirm } from '../../ui/Confirm.tsx'

/**
 * Deletes a template after the operator has confirmed it. Campaigns keep their copy of its texts. From then on Herald refuses a backend that sends by
 * the template's id.
 */
export function DeleteTemplate({ appId, template: { id, name } }: { appId: string; template: { id: string; name: string } }) {
  const [isAsking, setAsking] = useState(false)
  const navigate = useNavigate()
  const queries = useQueryClient()
  const remove = async () => {
    await client.DELETE('/v1/admin/apps/{appId}/templates/{id}', { params: { path: { appId, id } } })
    announce(`${name} is deleted.`)
    void queries.invalidateQueries({ queryKey: ['templates', appId] })
    await navigate({ to: '/apps/$appId/templates', params: { appId }, ignoreBlocker: true })
  }
  return (
    <>
      <Button needed="send" variant="quiet" onClick={() => setAsking(true)}>
        Delete
      </Button>
      <Confirm
        open={isAsking}
        onClose={() => setAsking(false)}
        title={`Delete ${name}?`}
        action="Delete the template"
        danger
        onConfirm={remove}
      >
        Campaigns that used it keep what they copied. A backend that sends it by its id is refused from then on.
      </Confirm>
    </>
  )
}
