import { type ReactNode, useState } from 'react'
import {
  Button as AriaButton,
  Collection,
  DropIndicator,
  type Key,
  Tree,
  TreeItem,
  TreeItemContent,
  useDragAndDrop,
} from 'react-aria-components'
import { askAgain, changeOrRefusal, queryClient } from '../api/api.ts'
import { reasonOf } from '../api/field-errors.ts'
import { UpdateCategoryDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { IconButton } from '../ui/button.tsx'
import { Fault } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { tell } from '../ui/toasts.tsx'
import { applyMoves, isWithin, type Move, movesFor, type TreeNode, treeOf, undoOf } from './category-tree.ts'
import type { Category } from './use-categories.ts'

interface Props {
  readonly categories: readonly Category[]
  readonly onAdd: (parent: Category) => void
  readonly onEdit: (category: Category) => void
  readonly onDelete: (category: Category) => void
}

/** A category is dragged before, after or onto another one, by pointer, or by Enter on its handle and the arrow keys. */
export function CategoryTree({ categories, ...actions }: Props): ReactNode {
  const t = useText()
  const mayWrite = useMay('products:write')
  const nodes = treeOf(categories)
  const [expanded, setExpanded] = useState<ReadonlySet<Key>>(() => new Set(categories.map(({ id }) => id)))
  const [dragged, setDragged] = useState<string | null>(null)
  const { fault, pending, move } = useMoves(categories)
  const { dragAndDropHooks } = useDragAndDrop<TreeNode<Category>>({
    isDisabled: !mayWrite || pending,
    getItems: (keys) => [...keys].map((key) => ({ 'text/plain': String(key) })),
    onDragStart: ({ keys }) => setDragged(String([...keys][0])),
    onDragEnd: () => setDragged(null),
    renderDropIndicator: (target) => <DropIndicator target={target} className="drop-place" />,
    shouldAcceptItemDrop: ({ key }) => dragged !== null && !isWithin(categories, dragged, String(key)),
    onMove({ keys, target }) {
      const [id] = [...keys].map(String)
      if (id === undefined) return
      setExpanded((all) => new Set([...all, target.key]))
      void move(movesFor(categories, id, { key: String(target.key), place: target.dropPosition }), id)
    },
  })
  return (
    <>
      {fault !== null && <Fault text={fault} />}
      <Tree
        className="tree"
        aria-label={t('categories')}
        items={nodes}
        expandedKeys={expanded}
        onExpandedChange={setExpanded}
        dragAndDropHooks={dragAndDropHooks}
        dependencies={[categories, pending, mayWrite]}
      >
        {(node) => <Node node={node} mayWrite={mayWrite} actions={actions} />}
      </Tree>
    </>
  )
}

interface NodeProps {
  readonly node: TreeNode<Category>
  readonly mayWrite: boolean
  readonly actions: Omit<Props, 'categories'>
}

function Node({ node: { item, children }, mayWrite, actions }: NodeProps): ReactNode {
  const t = useText()
  const { name } = item
  return (
    <TreeItem id={item.id} textValue={name} className="tree-item">
      <TreeItemContent>
        {({ level, hasChildItems }) => (
          <div className="tree-row" data-depth={Math.min(level - 1, 8)}>
            {mayWrite && (
              <AriaButton slot="drag" className="drag">
                <Icon name="gripVertical" size={16} />
              </AriaButton>
            )}
            {hasChildItems ? (
              <AriaButton slot="chevron" className="chevron">
                <Icon name="chevronRight" size={16} />
              </AriaButton>
            ) : (
              <span className="chevron" />
            )}
            <span className="tree-name">
              <span className="strong">{name}</span>{' '}
              <span className="small muted">{t('productsCount', { count: item.productCount })}</span>
            </span>
            {mayWrite && (
              <span className="tree-tools">
                <IconButton icon="plus" label={t('addBelow', { name })} onPress={() => actions.onAdd(item)} />
                <IconButton
                  icon="pencil"
                  label={t('editCategory', { name })}
                  onPress={() => actions.onEdit(item)}
                />
                <IconButton
                  icon="trash"
                  label={t('deleteCategory', { name })}
                  onPress={() => actions.onDelete(item)}
                />
              </span>
            )}
          </div>
        )}
      </TreeItemContent>
      <Collection items={children}>
        {(child) => <Node node={child} mayWrite={mayWrite} actions={actions} />}
      </Collection>
    </TreeItem>
  )
}

/** Shows a move at once, stores it, and shows what the server has if it refuses. */
function useMoves(categories: readonly Category[]) {
  const t = useText()
  const [fault, setFault] = useState<string | null>(null)
  const [pending, setPending] = useState(false)
  const store = async (moves: readonly Move[]): Promise<boolean> => {
    setPending(true)
    queryClient.setQueryData(['categories'], (shown: readonly Category[] | undefined) =>
      shown === undefined ? shown : applyMoves(shown, moves),
    )
    let refused = false
    for (const { id, parentId, position } of moves) {
      const error = await changeOrRefusal(UpdateCategoryDocument, { id, input: { parentId, position } })
      setFault(error === null ? null : reasonOf(error))
      if (error !== null) {
        refused = true
        break
      }
    }
    await askAgain(['categories'])
    setPending(false)
    return !refused
  }
  const move = async (moves: readonly Move[], id: string) => {
    if (moves.length === 0) return
    const back = undoOf(categories, id)
    const name = categories.find((each) => each.id === id)?.name ?? ''
    if (await store(moves)) tell(t('categoryMoved', { name }), () => void store(back))
  }
  return { fault, pending, move }
}
