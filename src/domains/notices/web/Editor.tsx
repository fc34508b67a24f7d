import { type Editor as Core, EditorContent, mergeAttributes, Node, useEditor } from '@tiptap/react'
import StarterKit from '@tiptap/starter-kit'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import styles from './Editor.module.css'
import text from './RichText.module.css'
import { Toolbar } from './Toolbar.tsx'

/** Pictures of ours; one from elsewhere, pasted along, is left behind. */
const Picture = Node.create({
  name: 'image',
  group: 'block',
  atom: true,
  draggable: true,
  addAttributes: () => ({ src: { default: null }, alt: { default: '' } }),
  parseHTML: () => [{ tag: 'img[src^="files/"]' }],
  renderHTML: ({ HTMLAttributes }) => ['img', mergeAttributes(HTMLAttributes)],
})

const extensions = [
  StarterKit.configure({
    heading: { levels: [2, 3] },
    code: false,
    codeBlock: false,
    horizontalRule: false,
    trailingNode: false,
    dropcursor: { color: 'currentColor' },
    link: {
      openOnClick: false,
      defaultProtocol: 'https',
      protocols: ['http', 'https', 'mailto'],
      HTMLAttributes: { target: null, rel: null, class: null },
    },
  }),
  Picture,
]

export type EditorProps = {
  id?: string
  value?: string
  onChange?: (html: string) => void
  onBlur?: () => void
}

const htmlOf = (editor: Core): string =>
  editor.isEmpty ? '' : editor.getHTML().replace(/(<p><\/p>)+$/, '')

/** Paragraphs, marks, lists, links and pictures: what the server keeps, and nothing else. */
export function Editor({ id, value = '', onChange, onBlur }: EditorProps) {
  const { t } = useTranslation('notices')
  const given = useRef(value)
  const tell = useRef({ onChange, onBlur })
  tell.current = { onChange, onBlur }
  const editor = useEditor({
    extensions,
    content: value,
    // the policy of the page takes no style element of others; Editor.module.css has what it needs
    injectCSS: false,
    editorProps: {
      attributes: {
        ...(id ? { id } : {}),
        role: 'textbox',
        'aria-multiline': 'true',
        'aria-label': t('editor.label'),
        class: `${text.text} ${styles.area}`,
      },
    },
    onUpdate: ({ editor: own }) => {
      given.current = htmlOf(own)
      tell.current.onChange?.(given.current)
    },
    onBlur: () => tell.current.onBlur?.(),
  })
  // a value from outside: the loaded notice, a reset form
  useEffect(() => {
    if (value === given.current) return
    given.current = value
    editor.commands.setContent(value, { emitUpdate: false })
  }, [value, editor])
  return (
    <div className={styles.editor}>
      <Toolbar editor={editor} />
      <EditorContent editor={editor} />
    </div>
  )
}
