"""How Sphinx builds the documentation: `make docs`. What is ours about it is in tools/site.py."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from samrule import __version__

project = "samrule"
author = copyright = "The samrule developers"
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_gallery.gen_gallery",
    "tools.site",
]
exclude_patterns = ["**/.ipynb_checkpoints", "gallery/*.py.md5", "sg_execution_times.rst"]
# Names in single backticks, as docstrings have them, are code.
default_role = "code"

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "deflist"]
# `pycon` and `console` hold what a machine printed, also where it is no valid program.
suppress_warnings = ["misc.highlighting_failure"]

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
python_maximum_signature_line_length = 88
autodoc_default_options = {"members": True}
python_use_unqualified_type_names = True
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True  # Attributes are described once.
napoleon_custom_sections = ["Guarantee"]

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": "/plot_",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "capture_repr": (),  # What is printed, not what the last line gives back.
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1e9,  # How long it took says more about the machine.
    "write_computation_times": False,  # And the page of times loads scripts from elsewhere.
    "abort_on_example_error": True,
    "image_srcset": [],
    "plot_gallery": True,
}

html_theme = "pydata_sphinx_theme"
html_title = "samrule"
html_static_path = ["_static"]
html_css_files = ["samrule.css"]
html_show_sourcelink = False
html_copy_source = False
html_context = {"default_mode": "auto"}  # Light or dark, as the reader's system has it.
html_theme_options = {
    "show_prev_next": True,
    "header_links_before_dropdown": 7,
    "navbar_persistent": ["search-button"],
    "navigation_with_keys": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
    "secondary_sidebar_items": ["page-toc"],
}
html_sidebars = {"index": [], "start": [], "comparison": []}
