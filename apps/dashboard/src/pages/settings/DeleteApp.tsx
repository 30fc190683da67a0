import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { client } from '../../api/client.ts'
import { announce } from '../../ui/Announcer.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Confirm } from '../../ui/Confirm.tsx'
import type { App } from './useChangeApp.ts'

/** Lets the operator delete an app with everything in it but its audit. The operator must type the app's name first. */
export function DeleteApp({ app }: { app: App }) {
  const [isOpen, setIsOpen] = useState(false)
  const navigate = useNavigate()
  const cache = useQueryClient()
  return (
    <Card title="Delete this app">
      <p className="mb-3">Its users, devices, campaigns, keys and credentials go. What is under way stops. The audit stays.</p>
      <Button needed="platform" variant="danger" onClick={() => setIsOpen(true)}>
        Delete the app
      </Button>
      <Confirm
        open={isOpen}
        onClose={() => setIsOpen(false)}
        title={`Delete “${app.name}”?`}
        action="Delete the app and all that is in it"
        typed={app.name}
        danger
        onConfirm={async () => {
          await client.DELETE('/v1/admin/apps/{appId}', { params: { path: { appId: app.id } } })
          await navigate({ to: '/', ignoreBlocker: true })
          cache.clear()
          announce(`“${app.name}” is deleted.`, 'good')
        }}
      >
        This cannot be undone. Keys stop working at once; all its data is deleted in the background.
      </Confirm>
    </Card>
  )
}
