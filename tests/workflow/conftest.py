"""A scenario that is added to a copy of the project, and a copy with everything added, built."""

import shutil

import pytest
from projects import Project
from second_build import SecondBuild, add_scenario, build_again


@pytest.fixture
def with_scenario(project) -> Project:
    return add_scenario(project)


@pytest.fixture(scope="session")
def built_again(built_project, tmp_path_factory) -> SecondBuild:
    copy = shutil.copytree(built_project.folder, tmp_path_factory.mktemp("again") / "project")
    return build_again(Project(copy))
