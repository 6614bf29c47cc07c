import { Button, TextInput } from '@mantine/core';
import { atLeast } from '@weft/access';
import { useState } from 'react';
import { LinkSelect } from '../../apis/link-select';
import { MiniPicture } from '../../picture/mini-picture';
import { FlowSelect } from '../../schedules/flow-select';
import { may, useMe } from '../../session/me';
import { Help } from '../../ui/help';
import { Icon } from '../../ui/icon';
import { recipesWith, type Blank, type Recipe } from './recipes';
import type { Given } from './sources';
import classes from './new-flow.module.css';

interface RecipeFieldsProps {
  readonly recipe: Recipe | null;
  readonly vars: Given['vars'];
  /** Keys of APIs that the company does not have yet. */
  readonly missing: readonly string[];
  /** They are imported with the recipe. */
  readonly mayImport: boolean;
  readonly onChange: (fields: Partial<Given>) => void;
}

/** All recipes, or the one that was chosen and what is to be filled in. */
export function RecipeFields({ recipe, vars, missing, mayImport, onChange }: RecipeFieldsProps) {
  if (recipe === null) return <Gallery onChoose={(chosen) => onChange({ recipe: chosen, vars: {} })} />;
  const { document, layers, blanks } = recipe;
  return (
    <>
      <section className={classes.chosen} aria-label={document.name}>
        <h3>
          {document.name} <Help at="docs/recipes.md" about="recipes" />
        </h3>
        <p>{document.description}</p>
        <MiniPicture layers={layers} />
        <Button variant="default" size="xs" onClick={() => onChange({ recipe: null, vars: {} })}>
          Choose another recipe
        </Button>
      </section>
      {missing.length > 0 && (
        <p className="soft">
          It calls operations of the API {missing.join(', ')}, which the company does not have yet.{' '}
          {mayImport
            ? 'An example of it is imported, too: give it the document of your own service afterwards, on the page “APIs”.'
            : 'Ask an integration manager to import it.'}
        </p>
      )}
      {blanks.map((blank) => (
        <BlankField
          key={blank.name}
          blank={blank}
          value={vars[blank.name] ?? blank.value}
          onChange={(value) => onChange({ vars: { ...vars, [blank.name]: value } })}
        />
      ))}
      <p className="soft">The new flow is paused, so that you can look at it first.</p>
    </>
  );
}

function Gallery({ onChoose }: { readonly onChoose: (recipe: Recipe) => void }) {
  const [text, setText] = useState('');
  const found = recipesWith(text);
  return (
    <>
      <TextInput
        data-autofocus
        aria-label="Search recipes"
        placeholder="What should it do?"
        leftSection={<Icon name="search" size={13} />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <p className="sr-only" role="status">
        {text !== '' && `${found.length} found`}
      </p>
      {found.length === 0 && <p className="soft">No recipe has all of these words.</p>}
      <Cards recipes={found} onChoose={onChoose} />
    </>
  );
}

interface CardsProps {
  readonly recipes: readonly Recipe[];
  readonly onChoose: (recipe: Recipe) => void;
}

function Cards({ recipes, onChoose }: CardsProps) {
  return (
    <ul className={classes.gallery} aria-label="Recipes">
      {recipes.map((recipe) => (
        <li key={recipe.key}>
          <button type="button" onClick={() => onChoose(recipe)}>
            <strong>{recipe.document.name}</strong>
            <span className="soft">{recipe.document.description}</span>
          </button>
          <MiniPicture layers={recipe.layers} />
        </li>
      ))}
    </ul>
  );
}

interface BlankFieldProps {
  readonly blank: Blank;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function BlankField({ blank: { name, kind }, value, onChange }: BlankFieldProps) {
  const mayReadLinks = may(useMe(), atLeast('admin'));
  if (kind === 'link' && mayReadLinks)
    return (
      <LinkSelect
        label={name}
        description="The integration link that it calls with. You can choose it later, in the settings of the flow."
        value={value || null}
        error={null}
        onChange={(id) => onChange(id ?? '')}
      />
    );
  if (kind === 'flow')
    return (
      <FlowSelect
        label={name}
        description="The flow that it runs. You can choose it later, in the settings of the flow."
        isOptional
        value={value || null}
        onChange={(id) => onChange(id ?? '')}
      />
    );
  return (
    <TextInput
      label={name}
      description={kind === 'link' ? 'Id or key of the integration link that it calls with.' : undefined}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
