import { Skeleton } from 'antd'
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { Field } from '../../../web/form/fields.tsx'
import { registerLocale } from '../../../web/i18n.ts'
import { locale } from '../locale.ts'
import type { EditorProps } from './Editor.tsx'

// forms of other domains use the editor without having loaded these texts
registerLocale('notices', locale)

const Editor = lazy(() => import('./Editor.tsx').then((m) => ({ default: m.Editor })))

/**
 * An editor for `<Field>`: html in and out, empty text for nothing. Its library loads with the
 * first one.
 */
function RichTextInput(props: EditorProps) {
  const { t } = useTranslation('notices')
  return (
    <Suspense
      fallback={
        <Skeleton.Node
          active
          style={{ width: '100%', height: 320 }}
          aria-label={t('editor.loading')}
        />
      }
    >
      <Editor {...props} />
    </Suspense>
  )
}

/** `<RichTextField name="content" />`: cleaned again by whoever stores it. */
export const RichTextField = ({ name, label }: { name: string; label?: string }) => (
  <Field name={name} {...(label ? { label } : {})} wide>
    <RichTextInput />
  </Field>
)
