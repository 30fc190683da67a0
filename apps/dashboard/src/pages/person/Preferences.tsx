import { api } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import { useCategories } from '../../api/useCategories.ts'
import { whyIn } from '../../core/category-text.ts'
import { useAppId } from '../../session/useAppId.ts'
import { announce } from '../../ui/Announcer.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Status } from '../../ui/Status.tsx'
import type { Person } from './answers.ts'

/** Shows which categories a person is in and why, and lets the operator change a choice or take it back. Shows nothing for an app without categories. */
export function Preferences({ person, onChanged }: { person: Person; onChanged: () => void }) {
  const appId = useAppId()
  const { data } = useCategories(appId)
  const patch = api.useMutation('patch', '/v1/admin/apps/{appId}/users/{id}/preferences')
  const choose = async (id: string, name: string, choice: boolean | null): Promise<void> => {
    try {
      await patch.mutateAsync({ params: { path: { appId, id: person.id } }, body: { categories: { [id]: choice } } })
      announce(choice === null ? `${name}: reset to default` : choice ? `${name}: subscribed` : `${name}: unsubscribed`)
      onChanged()
    } catch (error) {
      announce(faultOf(error).message, 'bad')
    }
  }
  const categories = data?.items ?? []
  if (categories.length === 0) return null
  return (
    <Card title="Categories">
      <ul aria-label="Categories" className="grid list-none gap-3 p-0">
        {categories.map((category) => {
          const { id, name, locked } = category
          const choice = Object.hasOwn(person.preferences, id) ? person.preferences[id] : undefined
          const isIn = locked || (choice ?? category.default === 'in')
          return (
            <li
              key={id}
              className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-t border-line pt-3 first:border-0 first:pt-0"
            >
              <div className="min-w-0">
                <p className="flex flex-wrap items-center gap-2">
                  <span className="font-medium break-words">{name}</span>
                  <Status kind={isIn ? 'good' : 'off'}>{isIn ? 'Subscribed' : 'Not subscribed'}</Status>
                </p>
                <p className="text-sm text-muted">{whyIn(category, choice)}</p>
              </div>
              {!locked && (
                <div className="flex gap-2">
                  <Button
                    needed="people"
                    small
                    disabled={patch.isPending}
                    aria-label={isIn ? `Unsubscribe from ${name}` : `Subscribe to ${name}`}
                    onClick={() => void choose(id, name, !isIn)}
                  >
                    {isIn ? 'Unsubscribe' : 'Subscribe'}
                  </Button>
                  {choice !== undefined && (
                    <Button
                      needed="people"
                      small
                      variant="quiet"
                      disabled={patch.isPending}
                      aria-label={`Reset ${name}`}
                      onClick={() => void choose(id, name, null)}
                    >
                      Reset
                    </Button>
                  )}
                </div>
              )}
            </li>
          )
        })}
      </ul>
      <p className="mt-3 text-sm text-muted">Preferences apply to all devices of the person. Change them only at the person’s request.</p>
    </Card>
  )
}
