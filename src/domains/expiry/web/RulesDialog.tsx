import { Button, Flex, Segmented } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Field, Note, NumberField } from '../../../web/form/fields.tsx'
import { Muted } from '../../../web/ui/Text.tsx'
import { useAct } from '../../../web/useAct.ts'
import { useTarget } from '../../../web/useTarget.ts'
import { CategorySelect, ProductSelect } from '../../products/web/pickers.tsx'
import { expiry } from '../contract.ts'

/** As wide as the dialog. */
const wide = { gridColumn: '1 / -1', justifySelf: 'start' } as const

/** The days of products and categories; those of all others are the organisation's settings. */
export function RulesDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('expiry')
  const settings = useTarget()('/system/organ-system')
  const [by, setBy] = useState<'product' | 'category'>('product')
  const read = useRead(expiry.rules, {}, { inline: true }).data
  const remove = useAct(expiry.saveRule, {
    success: 'expiry:saved',
    invalidates: ['expiry-settings'],
  })
  const rules = read?.list ?? []
  return (
    <FormDialog
      key={by}
      ns="expiry"
      title={t('settings')}
      save={expiry.saveRule}
      initial={{ days: 30 }}
      success="expiry:saved"
      onSaved={onClose}
      onClose={onClose}
    >
      <Note>
        {t('settingsHint', { drug: read?.drugDays ?? '', other: read?.otherDays ?? '' })}
        {settings ? (
          <>
            {' '}
            <Link to={settings}>{t('usual')}</Link>
          </>
        ) : null}
      </Note>
      <Segmented
        style={wide}
        value={by}
        onChange={setBy}
        options={[
          { value: 'product', label: t('byProduct') },
          { value: 'category', label: t('byCategory') },
        ]}
      />
      {by === 'product' ? (
        <Field name="productId">
          <ProductSelect />
        </Field>
      ) : (
        <Field name="categoryId">
          <CategorySelect />
        </Field>
      )}
      <NumberField name="days" min={1} max={720} />
      <Flex vertical gap={4} style={{ gridColumn: '1 / -1' }}>
        {rules.length === 0 ? <Muted>{t('noRules')}</Muted> : null}
        {rules.map(({ id, productId, productName, categoryId, categoryName, days }) => (
          <Flex key={id} justify="space-between" align="center">
            <span>
              {productName ?? categoryName} <Muted>{t('left', { n: days })}</Muted>
            </span>
            <Button
              type="link"
              size="small"
              onClick={() =>
                void remove({ ...(productId ? { productId } : { categoryId }), days: null })
              }
            >
              {t('removeRule')}
            </Button>
          </Flex>
        ))}
      </Flex>
    </FormDialog>
  )
}
