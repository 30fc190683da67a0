import { useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { client } from '../../api/client.ts'
import { useCategories, type Category } from '../../api/useCategories.ts'
import { whoIsIn } from '../../core/category-text.ts'
import { useAppId } from '../../session/useAppId.ts'
import { announce } from '../../ui/Announcer.tsx'
import { Button } from '../../ui/Button.tsx'
import { Confirm } from '../../ui/Confirm.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { Loaded } from '../../ui/Loaded.tsx'
import { Page } from '../../ui/Page.tsx'
import { Tag } from '../../ui/Tag.tsx'
import { Time } from '../../ui/Time.tsx'
import { CategoryForm } from './CategoryForm.tsx'

type Asked = { what: 'new' } | { what: 'edit' | 'delete'; category: Category }

/** Shows the categories of an app: the kinds of messages that people can join or leave. */
export function CategoriesPage() {
  const appId = useAppId()
  const query = useCategories(appId)
  const cache = useQueryClient()
  const [asked, setAsked] = useState<Asked>()
  const close = () => setAsked(undefined)
  const readAgain = () => cache.invalidateQueries({ queryKey: ['get', '/v1/admin/apps/{appId}/categories'] })
  const done = (said: string) => {
    close()
    announce(said)
    void readAgain()
  }
  const remove = async ({ id, name }: Category) => {
    await client.DELETE('/v1/admin/apps/{appId}/categories/{id}', { params: { path: { appId, id } } })
    done(`${name} is deleted`)
  }
  const make = (label: string) => (
    <Button needed="settings" variant="primary" icon={<Plus size={14} aria-hidden />} onClick={() => setAsked({ what: 'new' })}>
      {label}
    </Button>
  )
  return (
    <Page
      title="Categories"
      lead="Topics that people can subscribe to or unsubscribe from in your app, such as offers or news."
      guide="categories"
      actions={make('New category')}
    >
      <Loaded
        query={query}
        isEmpty={({ items }) => items.length === 0}
        empty={
          <Empty title="No categories yet" action={make('Create your first category')}>
            Let people unsubscribe from promotions and still get order updates.
          </Empty>
        }
      >
        {({ items }) => (
          <ul className="grid list-none gap-3 p-0">
            {items.map((category) => (
              <CategoryCard key={category.id} category={category} onAsk={setAsked} />
            ))}
          </ul>
        )}
      </Loaded>
      <Dialog
        open={asked?.what === 'new' || asked?.what === 'edit'}
        onClose={close}
        title={asked?.what === 'edit' ? `Edit ${asked.category.name}` : 'New category'}
      >
        <CategoryForm category={asked?.what === 'edit' ? asked.category : undefined} onSaved={({ name }) => done(`${name} is saved`)} />
      </Dialog>
      <Confirm
        open={asked?.what === 'delete'}
        onClose={close}
        title={asked?.what === 'delete' ? `Delete ${asked.category.name}?` : ''}
        action="Delete the category"
        danger
        onConfirm={async () => {
          if (asked?.what === 'delete') await remove(asked.category)
        }}
      >
        It no longer appears in your app. Preferences are kept and apply again if you create a category with the same ID. A template or a
        draft that uses it cannot be sent until you choose another category.
      </Confirm>
    </Page>
  )
}

function CategoryCard({ category, onAsk }: { category: Category; onAsk: (asked: Asked) => void }) {
  const { id, name, description, presentation, updatedAt } = category
  const look = Object.keys(presentation ?? {})
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 rounded-lg border border-line bg-surface p-4">
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <strong className="break-words">{name}</strong>
          <code className="font-mono text-xs text-muted">{id}</code>
          {category.locked && <Tag>Required</Tag>}
        </p>
        {description !== null && <p className="break-words">{description}</p>}
        <p className="text-sm text-muted">
          {whoIsIn(category)}
          {look.length > 0 &&
            ` Custom ${look.map((field) => field.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)).join(', ')}.`}{' '}
          Changed <Time at={updatedAt} />
        </p>
      </div>
      <div className="flex gap-2">
        <Button needed="settings" small aria-label={`Edit ${name}`} onClick={() => onAsk({ what: 'edit', category })}>
          Edit
        </Button>
        <Button needed="settings" small variant="quiet" aria-label={`Delete ${name}`} onClick={() => onAsk({ what: 'delete', category })}>
          Delete
        </Button>
      </div>
    </li>
  )
}
