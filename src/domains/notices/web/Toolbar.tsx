import BoldOutlined from '@ant-design/icons/es/icons/BoldOutlined'
import ItalicOutlined from '@ant-design/icons/es/icons/ItalicOutlined'
import LinkOutlined from '@ant-design/icons/es/icons/LinkOutlined'
import OrderedListOutlined from '@ant-design/icons/es/icons/OrderedListOutlined'
import PictureOutlined from '@ant-design/icons/es/icons/PictureOutlined'
import RedoOutlined from '@ant-design/icons/es/icons/RedoOutlined'
import StrikethroughOutlined from '@ant-design/icons/es/icons/StrikethroughOutlined'
import UnderlineOutlined from '@ant-design/icons/es/icons/UnderlineOutlined'
import UndoOutlined from '@ant-design/icons/es/icons/UndoOutlined'
import UnorderedListOutlined from '@ant-design/icons/es/icons/UnorderedListOutlined'
import { type Editor, useEditorState } from '@tiptap/react'
import { Button, Input } from 'antd'
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call, messageOf } from '../../../web/call.ts'
import { toast } from '../../../web/toast.ts'
import { Tooltip } from '../../../web/ui/Tooltip.tsx'
import { files } from '../../files/contract.ts'
import styles from './Editor.module.css'

type Tool = { key: string; icon: ReactNode; on?: boolean; off?: boolean; run: () => void }
type Command =
  | `toggle${'Bold' | 'Italic' | 'Underline' | 'Strike'}`
  | `toggle${'BulletList' | 'OrderedList' | 'Blockquote'}`
/**
 * What a press switches on and off: its sign, what the editor calls it, and its command or its
 * level of heading.
 */
const switches: readonly [key: string, icon: ReactNode, name: string, does: Command | 2 | 3][] = [
  ['bold', <BoldOutlined key="bold" />, 'bold', 'toggleBold'],
  ['italic', <ItalicOutlined key="italic" />, 'italic', 'toggleItalic'],
  ['underline', <UnderlineOutlined key="underline" />, 'underline', 'toggleUnderline'],
  ['strike', <StrikethroughOutlined key="strike" />, 'strike', 'toggleStrike'],
  ['h2', 'H2', 'heading', 2],
  ['h3', 'H3', 'heading', 3],
  ['bullets', <UnorderedListOutlined key="bullets" />, 'bulletList', 'toggleBulletList'],
  ['numbers', <OrderedListOutlined key="numbers" />, 'orderedList', 'toggleOrderedList'],
  ['quote', '❝', 'blockquote', 'toggleBlockquote'],
]
const types = ['image/jpeg', 'image/png']
const largest = 2 * 1024 * 1024

/** One stop for the tab key; arrows walk along it. */
export function Toolbar({ editor }: { editor: Editor }) {
  const { t } = useTranslation(['notices', 'web'])
  const bar = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const [address, setAddress] = useState<string | null>(null)
  const [at, setAt] = useState(0)
  const on = useEditorState({
    editor,
    selector: ({ editor: own }) => ({
      switched: switches.map(([, , name, does]) =>
        own.isActive(name, typeof does === 'number' ? { level: does } : {}),
      ),
      link: own.isActive('link'),
      undo: own.can().undo(),
      redo: own.can().redo(),
    }),
  })
  const act = () => editor.chain().focus()
  const insert = async (file: File | undefined) => {
    if (!file) return
    if (!types.includes(file.type)) return toast('error', t('web:upload.type'))
    if (file.size > largest) return toast('error', t('web:upload.size'))
    try {
      const { url } = await call(files.uploadImage, {}, { file })
      act()
        .insertContent({ type: 'image', attrs: { src: url } })
        .run()
    } catch (error) {
      toast('error', messageOf(error))
    }
  }
  const toggles = switches.map(
    ([key, icon, , does], index): Tool => ({
      key,
      icon,
      on: on.switched[index] ?? false,
      run: () =>
        typeof does === 'number' ? act().toggleHeading({ level: does }).run() : act()[does]().run(),
    }),
  )
  const groups: Tool[][] = [
    toggles.slice(0, 4),
    toggles.slice(4),
    [
      {
        key: 'link',
        icon: <LinkOutlined />,
        on: on.link,
        run: () => setAddress(String(editor.getAttributes('link').href ?? '')),
      },
      { key: 'image', icon: <PictureOutlined />, run: () => field.current?.click() },
    ],
    [
      { key: 'undo', icon: <UndoOutlined />, off: !on.undo, run: () => act().undo().run() },
      { key: 'redo', icon: <RedoOutlined />, off: !on.redo, run: () => act().redo().run() },
    ],
  ]
  const order = groups.flat().map((tool) => tool.key)
  const walk = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (!step) return
    event.preventDefault()
    const next = (at + step + order.length) % order.length
    setAt(next)
    bar.current?.querySelectorAll('button')[next]?.focus()
  }
  return (
    <>
      <div
        ref={bar}
        className={styles.tools}
        role="toolbar"
        aria-label={t('editor.tools')}
        onKeyDown={walk}
      >
        {groups.map((tools, group) => [
          group > 0 ? <span key={`rule ${tools[0]?.key}`} /> : null,
          ...tools.map((tool) => (
            <Tooltip key={tool.key} title={t(`editor.${tool.key}`)}>
              <button
                type="button"
                className={styles.tool}
                aria-label={t(`editor.${tool.key}`)}
                {...(tool.on === undefined ? {} : { 'aria-pressed': tool.on })}
                aria-disabled={tool.off ?? false}
                tabIndex={order.indexOf(tool.key) === at ? 0 : -1}
                onFocus={() => setAt(order.indexOf(tool.key))}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => (tool.off ? undefined : tool.run())}
              >
                {tool.icon}
              </button>
            </Tooltip>
          )),
        ])}
      </div>
      <input
        ref={field}
        type="file"
        style={{ display: 'none' }}
        accept={types.join(',')}
        aria-label={t('editor.image')}
        onChange={(event) => {
          void insert(event.target.files?.[0])
          event.target.value = ''
        }}
      />
      {address === null ? null : (
        <Address editor={editor} start={address} onClose={() => setAddress(null)} />
      )}
    </>
  )
}

const fine = (address: string) => /^(https?:\/\/|mailto:)\S+$|^\/(?![/\\])\S*$/i.test(address)

type AddressProps = { editor: Editor; start: string; onClose: () => void }
function Address({ editor, start, onClose }: AddressProps) {
  const { t } = useTranslation(['notices', 'web'])
  const [text, setText] = useState(start)
  const chain = () => editor.chain().focus().extendMarkRange('link')
  const close = () => {
    editor.commands.focus()
    onClose()
  }
  const apply = () => {
    const address = /^[\w-]+(\.[\w-]+)+/.test(text.trim()) ? `https://${text.trim()}` : text.trim()
    if (!fine(address)) return toast('error', t('editor.linkWrong'))
    const bare = editor.state.selection.empty && !editor.isActive('link')
    const marks = [{ type: 'link', attrs: { href: address } }]
    if (bare) chain().insertContent({ type: 'text', text: address, marks }).run()
    else chain().setLink({ href: address }).run()
    onClose()
  }
  const unlink = () => {
    chain().unsetLink().run()
    onClose()
  }
  return (
    <div className={styles.address}>
      <Input
        autoFocus
        size="small"
        value={text}
        maxLength={500}
        placeholder="https://"
        aria-label={t('editor.linkAsk')}
        onChange={(event) => setText(event.target.value)}
        onPressEnter={(event) => {
          event.preventDefault()
          apply()
        }}
        onKeyDown={(event) => (event.key === 'Escape' ? close() : undefined)}
      />
      <Button size="small" type="primary" onClick={apply}>
        {t('web:action.apply')}
      </Button>
      {start ? (
        <Button size="small" onClick={unlink}>
          {t('editor.unlink')}
        </Button>
      ) : null}
      <Button size="small" onClick={close}>
        {t('web:action.cancel')}
      </Button>
    </div>
  )
}
