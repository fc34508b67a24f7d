import { Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { say } from '../../../shared/text.ts'
import { Section } from '../../../web/FormPage.tsx'
import {
  Field,
  Fixed,
  ImageField,
  MoneyField,
  Note,
  NumberField,
  RadioField,
  SelectField,
  TextField,
} from '../../../web/form/fields.tsx'
import { Percent } from '../../../web/Money.tsx'
import { usePrefs } from '../../../web/prefs.ts'
import { RecordPage } from '../../../web/RecordPage.tsx'
import { useMay } from '../../../web/session.ts'
import { Bad } from '../../../web/ui/Text.tsx'
import { products } from '../contract.ts'
import {
  type DrugClass,
  dosageForms,
  marginPermille,
  nearExpiryDefault,
  retailAboveCost,
} from '../rules.ts'
import { CategorySelect } from './pickers.tsx'

/** Create, copy and edit. A copy gets a barcode of its own. */
export const ProductForm = () => (
  <RecordPage
    ns="products"
    get={products.get}
    create={products.create}
    update={products.edit}
    name={({ name, model }) => [name, model]}
    blank={{ drugClass: 'NONE', images: [] }}
    own={{ barcode: null }}
  >
    {(edited, fresh) => (
      <Sections
        fresh={fresh}
        id={fresh ? undefined : edited?.id}
        inherited={edited?.source === 'INHERITED'}
      />
    )}
  </RecordPage>
)

type SectionsProps = { fresh: boolean; id: number | undefined; inherited: boolean }
function Sections({ fresh, id, inherited }: SectionsProps) {
  const may = useMay()
  const { t } = useTranslation('products')
  const drugClass = (Form.useWatch('drugClass') as DrugClass | undefined) ?? 'NONE'
  const expiry = t('form.days', { n: nearExpiryDefault(drugClass) })
  const forms = dosageForms.map((value) => ({ value, label: t(`enums.dosageForm.${value}`) }))
  return (
    <>
      <Section title={t('form.basic')} purpose={t('form.basicHint')}>
        {inherited ? <Note>{t('inherited')}</Note> : null}
        <TextField name="name" count />
        <TextField name="model" count />
        <Field name="categoryId">
          <CategorySelect />
        </Field>
        <SelectField name="drugClass" />
        <TextField name="barcode" hint={t('form.scan')} />
        {fresh ? <RadioField name="status" wide={false} /> : null}
      </Section>
      <Section title={t('form.prices')} purpose={t('form.pricesHint')}>
        <MoneyField name="costPrice" />
        <MoneyField name="retailPrice" />
        <Margin />
      </Section>
      <Section title={t('form.pictures')} purpose={t('form.picturesHint')}>
        <ImageField name="images" max={5} />
        <ImageField name="detailImages" max={5} />
      </Section>
      {drugClass === 'NONE' ? null : (
        <Section title={t('form.drug')} purpose={t('form.drugHint')}>
          {drugClass === 'OTC_B' ? null : <Note type="warning">{t('form.drugBanner')}</Note>}
          <TextField name="approvalNo" required placeholder="国药准字Z20147726" />
          <SelectField name="dosageForm" required options={forms} />
          <TextField name="manufacturer" required wide />
          <NumberField name="storeTempMin" precision={1} min={-40} max={60} unit="°C" />
          <NumberField name="storeTempMax" precision={1} min={-40} max={60} unit="°C" />
          <SelectField name="traceRequired" hint={t('form.traced')} />
        </Section>
      )}
      {id === undefined || drugClass === 'NONE' || !may('medical-insurance:read') ? null : (
        <Section title={t('form.insurance')} purpose={t('form.insuranceHint')}>
          <Fixed label={t('form.insuranceEntries')}>
            <Link to={`/product/medical-insurance?productId=${id}`}>{t('form.insuranceLook')}</Link>
          </Fixed>
        </Section>
      )}
      <Section title={t('form.selling')} purpose={t('form.sellingHint')}>
        <NumberField name="purchaseLimit" min={0} max={999} hint={t('form.noLimit')} />
        <NumberField name="warnQty" min={0} max={199} hint={t('form.byLane')} />
        <NumberField name="nearExpiryDays" min={1} max={720} hint={expiry} />
      </Section>
    </>
  )
}

/** Follows the two prices while they are typed. */
function Margin() {
  const { t } = useTranslation('products')
  const { lang } = usePrefs()
  const costPrice = Number(Form.useWatch('costPrice') ?? Number.NaN)
  const retailPrice = Number(Form.useWatch('retailPrice') ?? Number.NaN)
  const known = Number.isInteger(costPrice) && Number.isInteger(retailPrice)
  const margin = known ? marginPermille(costPrice, retailPrice) : null
  const wrong = known ? retailAboveCost({ costPrice, retailPrice }) : null
  return (
    <Fixed label={t('fields.margin')}>
      <span aria-live="polite">
        <Percent permille={margin} /> {wrong ? <Bad>{say(wrong.text, lang)}</Bad> : null}
      </span>
    </Fixed>
  )
}
