import { Segmented } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Values } from '../../../web/form/values.ts'
import { useUser } from '../../../web/session.ts'
import { Modal } from '../../../web/ui/overlay.tsx'
import { Letter } from './Letter.tsx'
import styles from './notices.module.css'

const frames = ['phone', 'desktop'] as const

/** The notice as its readers will see it. */
export function Preview({ values, onClose }: { values: Values; onClose: () => void }) {
  const { t } = useTranslation(['notices', 'web'])
  const { orgName } = useUser()
  const [as, setAs] = useState<(typeof frames)[number]>('phone')
  return (
    <Modal open title={t('form.preview')} width={820} footer={null} onCancel={onClose}>
      <Segmented
        value={as}
        onChange={setAs}
        options={frames.map((value) => ({ value, label: t(`form.${value}`) }))}
      />
      <div className={styles.frame} data-as={as}>
        <Letter
          title={String(values.title ?? '') || t('form.untitled')}
          html={String(values.content ?? '')}
          images={(values.images as string[] | undefined) ?? []}
          sender={orgName}
          time={typeof values.publishAt === 'string' ? values.publishAt : new Date().toISOString()}
        />
      </div>
    </Modal>
  )
}
